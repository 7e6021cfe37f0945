-- outer-interval-join: auctions with the bids of their first two seconds, and those without any. Flink
-- writes to each row whether it had a match. Ours, not Nexmark's. There are 10,000 events per second of
-- event time, so that watermarks pass rows all the time.
ALTER TABLE datagen SET ('first-event.rate' = '10000', 'next-event.rate' = '10000');

CREATE TABLE outer_interval_join (
    auction BIGINT,
    itemName VARCHAR,
    seller BIGINT,
    bidder BIGINT,
    price BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO outer_interval_join
SELECT A.id, A.itemName, A.seller, B.bidder, B.price
FROM auction A
LEFT JOIN bid B
ON A.id = B.auction
  AND B.`dateTime` BETWEEN A.`dateTime` AND A.`dateTime` + INTERVAL '2' SECOND;
