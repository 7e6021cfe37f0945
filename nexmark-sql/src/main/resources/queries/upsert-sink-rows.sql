-- upsert-sink-rows: SinkUpsertMaterializer alone, 100 rows per key. A changelog written by another
-- key than its own: a hundred rows share a place and stay, so that the list of a place grows to a
-- hundred. The table has the row that was written last.
ALTER TABLE changes SET (
    'changelog' = 'retract',
    'changes-per-row' = '1',
    'rows-per-place' = '100'
);

CREATE TABLE nexmark_upsert_sink_rows (
    place BIGINT,
    id BIGINT,
    amount BIGINT,
    PRIMARY KEY (place) NOT ENFORCED
) WITH (
    'connector' = 'nexmark-checksum',
    'upserts' = 'true'
);

INSERT INTO nexmark_upsert_sink_rows
SELECT place, id, amount FROM changes;
