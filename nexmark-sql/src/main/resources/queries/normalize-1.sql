-- normalize-1: ChangelogNormalize alone, one change per key. A table of upserts of which every row
-- that is replaced is wanted; nothing is.
ALTER TABLE changes SET (
    'changelog' = 'upsert',
    'changes-per-row' = '1'
);

CREATE TABLE nexmark_normalize_1 (
    id BIGINT,
    place BIGINT,
    amount BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO nexmark_normalize_1
SELECT id, place, amount FROM changes;
