-- q4-ceiling: the columns that q4 needs, and nothing done with them. What source and projection
-- cost, which no way to run q4 can go below. Ours, not Nexmark's.
CREATE TABLE q4_ceiling (
    auction BIGINT,
    amount BIGINT,
    `begin` TIMESTAMP(3),
    `end` TIMESTAMP(3)
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO q4_ceiling
SELECT id, category, `dateTime`, expires FROM auction
UNION ALL
SELECT auction, price, `dateTime`, `dateTime` FROM bid;
