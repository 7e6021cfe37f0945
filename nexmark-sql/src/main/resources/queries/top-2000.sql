-- top-2000: the 2,000 highest bids of each of 100 groups of auctions. A top-N of more rows than are
-- stored as one value. Ours, not Nexmark's. Only the prices are compared, as bids of one price tie.
CREATE TABLE top_2000 (
    auctions BIGINT,
    price BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO top_2000
SELECT auctions, price
FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY auctions ORDER BY price DESC) AS rank_number
    FROM (SELECT MOD(auction, 100) AS auctions, price FROM bid)
)
WHERE rank_number <= 2000;
