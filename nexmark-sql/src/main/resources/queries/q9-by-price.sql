-- q9-by-price: winning bids by price alone. The highest bid of every auction while it was open. A
-- regular join, then a top-1. Ours: q9 of Nexmark orders bids of one price by time as well, and
-- then Flink 2.3 plans the top-1 as if it never took a row back (FLINK-40368), so that results
-- cannot be compared.
-- Bids of one price tie, and either may win: who bid and when is not compared.
CREATE TABLE q9_by_price (
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

INSERT INTO q9_by_price
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
