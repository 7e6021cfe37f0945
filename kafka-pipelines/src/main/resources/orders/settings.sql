SET 'table.exec.source.cdc-events-duplicate' = 'true';
SET 'table.exec.sink.require-on-conflict' = 'false';
SET 'execution.checkpointing.interval' = '10 s';
