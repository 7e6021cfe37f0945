-- wide-interval-join: bids with their auction, within two seconds of each other, wide rows. Flink
-- keeps the rows of either side in a map from time to list of rows. After Bilibili's interval joins.
ALTER TABLE datagen SET (
    'first-event.rate' = '20000',
    'next-event.rate' = '20000',
    'auction.avg-size' = '2kb',
    'bid.avg-size' = '1kb');

CREATE TABLE wide_interval_join (
    auction BIGINT,
    bidder BIGINT,
    price BIGINT,
    bid_extra VARCHAR,
    itemName VARCHAR,
    description VARCHAR,
    auction_extra VARCHAR
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO wide_interval_join
SELECT B.auction, B.bidder, B.price, B.extra, A.itemName, A.description, A.extra
FROM auction A, bid B
WHERE A.id = B.auction
  AND B.`dateTime` BETWEEN A.`dateTime` - INTERVAL '2' SECOND AND A.`dateTime` + INTERVAL '2' SECOND;
