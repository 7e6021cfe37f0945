-- latency-top-n: the groups of bidders with the highest volume per category. A join, an aggregate
-- and a top-N with keys of their own, so that none is fused and rows are exchanged between all of
-- them. There are fewer groups than places: no row is without a result.
ALTER TABLE latencies ADD (volume BIGINT);

INSERT INTO latencies
SELECT
    category * 8 + bidder_group,
    row_count,
    created_sum,
    volume
FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY category ORDER BY volume DESC) AS place
    FROM (
        SELECT
            A.category,
            MOD(B.bidder, 8) AS bidder_group,
            COUNT(*) AS row_count,
            SUM(GREATEST(A.created, B.created)) AS created_sum,
            SUM(B.price) AS volume
        FROM auction A, bid B
        WHERE A.id = B.auction
        GROUP BY A.category, MOD(B.bidder, 8)
    )
)
WHERE place <= 10;
