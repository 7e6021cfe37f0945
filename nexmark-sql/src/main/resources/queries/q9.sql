-- q9: winning bids. The highest bid of every auction while it was open. A regular join, then a
-- top-1.
-- Published with "B.dateTime ASC" as a second order. With it, Flink 2.3.0 takes the updates of the
-- top-1 for inserts and retracts nothing (FLINK-40368), so no result could be compared.
-- Bids of one price tie, and either may win: who bid and when is not compared.
CREATE TABLE nexmark_q9 (
    id BIGINT,
    itemName VARCHAR,
    description VARCHAR,
    initialBid BIGINT,
    reserve BIGINT,
    `dateTime` TIMESTAMP(3),
    expires TIMESTAMP(3),
    seller BIGINT,
    category BIGINT,
    extra VARCHAR,
    auction BIGINT,
    bidder BIGINT,
    price BIGINT,
    bid_dateTime TIMESTAMP(3),
    bid_extra VARCHAR
) WITH (
    'connector' = 'nexmark-checksum',
    'ignored-columns' = 'bidder;bid_dateTime;bid_extra'
);

INSERT INTO nexmark_q9
SELECT
    id, itemName, description, initialBid, reserve, `dateTime`, expires, seller, category, extra,
    auction, bidder, price, bid_dateTime, bid_extra
FROM (
    SELECT
        A.*,
        B.auction,
        B.bidder,
        B.price,
        B.`dateTime` AS bid_dateTime,
        B.extra AS bid_extra,
        ROW_NUMBER() OVER (PARTITION BY A.id ORDER BY B.price DESC) AS rownum
    FROM auction A, bid B
    WHERE A.id = B.auction AND B.`dateTime` BETWEEN A.`dateTime` AND A.expires
)
WHERE rownum <= 1;
