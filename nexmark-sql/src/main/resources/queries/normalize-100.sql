-- normalize-100: ChangelogNormalize alone, 100 changes per key. A table of upserts, of which some
-- are told twice and some are deletions; every row that is replaced is wanted.
ALTER TABLE changes SET (
    'changelog' = 'upsert',
    'changes-per-row' = '100'
);

CREATE TABLE nexmark_normalize_100 (
    id BIGINT,
    place BIGINT,
    amount BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO nexmark_normalize_100
SELECT id, place, amount FROM changes;
