-- over-all: number and sum of a bidder's bids up to each bid. An OVER aggregate by row time over all
-- rows so far. Ours, not Nexmark's. There are 10,000 events per second of event time, so that
-- watermarks pass rows all the time.
ALTER TABLE datagen SET ('first-event.rate' = '10000', 'next-event.rate' = '10000');

CREATE TABLE over_all (
    auction BIGINT,
    bidder BIGINT,
    price BIGINT,
    `dateTime` TIMESTAMP(3),
    bids BIGINT,
    total BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO over_all
SELECT auction, bidder, price, `dateTime`, COUNT(*) OVER w, SUM(price) OVER w
FROM bid
WINDOW w AS (PARTITION BY bidder ORDER BY `dateTime`);
