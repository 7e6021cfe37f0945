-- top-n-by-column: the highest bids of each auction, of some one and of others up to five. A top-N whose
-- N is a column. Ours, not Nexmark's. Only the prices are compared, as bids of one price tie.
CREATE TABLE top_n_by_column (
    auction BIGINT,
    price BIGINT,
    rank_number BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO top_n_by_column
SELECT auction, price, rank_number
FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC) AS rank_number
    FROM (SELECT auction, price, MOD(auction, 5) + 1 AS bids FROM bid)
)
WHERE rank_number <= bids;
