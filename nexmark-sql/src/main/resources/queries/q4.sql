-- q4: average price per category. The average, over the auctions of each category, of an
-- auction's highest bid while it was open. A regular join of two streams, then a maximum per
-- auction, then an average over maxima that keep changing.
CREATE TABLE nexmark_q4 (
    id BIGINT,
    final BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO nexmark_q4
SELECT
    Q.category,
    AVG(Q.final)
FROM (
    SELECT MAX(B.price) AS final, A.category
    FROM auction A, bid B
    WHERE A.id = B.auction AND B.`dateTime` BETWEEN A.`dateTime` AND A.expires
    GROUP BY A.id, A.category
) Q
GROUP BY Q.category;
