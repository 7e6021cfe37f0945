-- normalize-join: two tables of upserts, joined by their keys, 10 changes per key. Both have to be
-- normalised, since every row that is replaced is wanted of the join.
ALTER TABLE changes SET (
    'changelog' = 'upsert',
    'changes-per-row' = '10'
);

CREATE TABLE other_changes LIKE changes;

CREATE TABLE nexmark_normalize_join (
    id BIGINT,
    place BIGINT,
    amount BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO nexmark_normalize_join
SELECT c.id, c.place, o.amount FROM changes AS c JOIN other_changes AS o ON c.id = o.id;
