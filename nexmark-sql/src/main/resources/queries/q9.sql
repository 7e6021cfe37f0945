-- q9: winning bids. The highest bid of every auction while it was open, and the first of them. A
-- regular join, then a top-1.
-- Flink 2.3 plans this top-1 as if it never took a row back (FLINK-40368): every bid that was the
-- winning one for a time is a row of the result. Which bids were depends on how those of an
-- auction that came before it are ordered, so results of two runs cannot be compared. Those of
-- q9-by-price can.
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
    'connector' = 'nexmark-checksum'
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
        ROW_NUMBER() OVER (PARTITION BY A.id ORDER BY B.price DESC, B.`dateTime` ASC) AS rownum
    FROM auction A, bid B
    WHERE A.id = B.auction AND B.`dateTime` BETWEEN A.`dateTime` AND A.expires
)
WHERE rownum <= 1;
