-- latency-left-updates: each seller's newest auction with its highest bid so far, as left-updates.
-- A LEFT JOIN of two inputs that keep changing. A bid on an auction that is not its seller's newest
-- has no result.
ALTER TABLE latencies ADD (seller BIGINT, category BIGINT, price BIGINT);

INSERT INTO latencies
SELECT
    A.id,
    1 + COALESCE(B.bids, 0),
    A.created + COALESCE(B.created_sum, 0),
    A.seller,
    A.category,
    B.price
FROM (
    SELECT id, seller, category, created
    FROM (
        SELECT *, ROW_NUMBER() OVER (PARTITION BY seller ORDER BY id DESC) AS rownum
        FROM auction
    )
    WHERE rownum = 1
) A
LEFT JOIN (
    SELECT auction, MAX(price) AS price, COUNT(*) AS bids, SUM(created) AS created_sum
    FROM bid
    GROUP BY auction
) B
ON A.id = B.auction;
