-- latency-q4: average price per category, as q4. A join fused with the maximum per auction, then an
-- average over maxima that keep changing. Each bid changes the sum of creation times, so each has a result.
ALTER TABLE latencies ADD (final BIGINT);

INSERT INTO latencies
SELECT
    Q.category,
    SUM(Q.row_count),
    SUM(Q.created_sum),
    AVG(Q.final)
FROM (
    SELECT
        A.category,
        COUNT(*) AS row_count,
        SUM(GREATEST(A.created, B.created)) AS created_sum,
        MAX(B.price) AS final
    FROM auction A, bid B
    WHERE A.id = B.auction AND B.`dateTime` BETWEEN A.`dateTime` AND A.expires
    GROUP BY A.id, A.category
) Q
GROUP BY Q.category;
