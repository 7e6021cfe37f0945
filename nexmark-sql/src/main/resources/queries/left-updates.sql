-- left-updates: each seller's newest auction with its highest bid so far. A LEFT JOIN of two
-- inputs that keep changing: a top-1 on the left, a maximum on the right. Ours, not Nexmark's.
CREATE TABLE left_updates (
    seller BIGINT,
    auction BIGINT,
    itemName VARCHAR,
    category BIGINT,
    price BIGINT,
    bids BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO left_updates
SELECT A.seller, A.id, A.itemName, A.category, B.price, B.bids
FROM (
    SELECT seller, id, itemName, category
    FROM (
        SELECT *, ROW_NUMBER() OVER (PARTITION BY seller ORDER BY id DESC) AS rownum
        FROM auction
    )
    WHERE rownum = 1
) A
LEFT JOIN (
    SELECT auction, MAX(price) AS price, COUNT(*) AS bids
    FROM bid
    GROUP BY auction
) B
ON A.id = B.auction;
