-- upsert-sink-100: SinkUpsertMaterializer alone, 100 changes per key. A changelog written by
-- another key than its own: ten rows share a place, ten changes each. The table has the row that was
-- written last, and the one before it when that one goes.
ALTER TABLE changes SET (
    'changelog' = 'retract',
    'changes-per-row' = '10',
    'rows-per-place' = '10'
);

CREATE TABLE nexmark_upsert_sink_100 (
    place BIGINT,
    id BIGINT,
    amount BIGINT,
    PRIMARY KEY (place) NOT ENFORCED
) WITH (
    'connector' = 'nexmark-checksum',
    'upserts' = 'true'
);

INSERT INTO nexmark_upsert_sink_100
SELECT place, id, amount FROM changes;
