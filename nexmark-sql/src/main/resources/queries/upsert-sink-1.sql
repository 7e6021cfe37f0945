-- upsert-sink-1: SinkUpsertMaterializer alone, one change per key. A changelog written by another
-- key than its own; no row of it shares its place with another.
ALTER TABLE changes SET (
    'changelog' = 'retract',
    'changes-per-row' = '1',
    'rows-per-place' = '1'
);

CREATE TABLE nexmark_upsert_sink_1 (
    place BIGINT,
    id BIGINT,
    amount BIGINT,
    PRIMARY KEY (place) NOT ENFORCED
) WITH (
    'connector' = 'nexmark-checksum',
    'upserts' = 'true'
);

INSERT INTO nexmark_upsert_sink_1
SELECT place, id, amount FROM changes;
