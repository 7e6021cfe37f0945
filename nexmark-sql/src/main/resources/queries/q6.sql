-- q6: average selling price by seller. The average, per seller, of the winning bids of the last
-- ten auctions. Flink's planner refuses it, see Query.
-- Published with the seller as VARCHAR, and the top-1 in one SELECT, whose WHERE and ORDER BY name
-- columns that are not there: that is refused for these names before its windows are looked at.
CREATE TABLE nexmark_q6 (
    seller BIGINT,
    avg_price BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO nexmark_q6
SELECT
    Q.seller,
    AVG(Q.price) OVER (
        PARTITION BY Q.seller ORDER BY Q.`dateTime` ROWS BETWEEN 10 PRECEDING AND CURRENT ROW)
FROM (
    SELECT *
    FROM (
        SELECT *, ROW_NUMBER() OVER (PARTITION BY id, seller ORDER BY price DESC) AS rownum
        FROM (
            SELECT A.id, A.seller, B.price, B.`dateTime`
            FROM auction AS A, bid AS B
            WHERE A.id = B.auction AND B.`dateTime` BETWEEN A.`dateTime` AND A.expires
        )
    )
    WHERE rownum <= 1
) AS Q;
