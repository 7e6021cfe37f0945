-- temporal-join: bids with their auction as it was at the time of the bid. A temporal join on row
-- time with a versioned view. Ours, not Nexmark's.
-- There are 10,000 events per second of event time, as in over-range.
ALTER TABLE datagen SET ('first-event.rate' = '10000', 'next-event.rate' = '10000');

CREATE TABLE temporal_join (
    auction BIGINT,
    bidder BIGINT,
    price BIGINT,
    bid_dateTime TIMESTAMP(3),
    itemName VARCHAR,
    reserve BIGINT,
    seller BIGINT,
    category BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

CREATE VIEW auction_versions AS
SELECT id, itemName, reserve, seller, category, `dateTime`
FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY `dateTime` DESC) AS row_num
    FROM auction
)
WHERE row_num = 1;

INSERT INTO temporal_join
SELECT
    B.auction, B.bidder, B.price, B.`dateTime`,
    A.itemName, A.reserve, A.seller, A.category
FROM bid AS B
JOIN auction_versions FOR SYSTEM_TIME AS OF B.`dateTime` AS A ON B.auction = A.id;
