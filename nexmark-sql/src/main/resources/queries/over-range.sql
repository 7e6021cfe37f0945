-- over-range: number, sum and highest of a bidder's bids in the ten seconds up to each bid. An OVER
-- aggregate by row time whose frames lose rows. Ours, not Nexmark's. There are 10,000 events per
-- second of event time, so that watermarks pass rows all the time.
ALTER TABLE datagen SET ('first-event.rate' = '10000', 'next-event.rate' = '10000');

CREATE TABLE over_range (
    auction BIGINT,
    bidder BIGINT,
    price BIGINT,
    `dateTime` TIMESTAMP(3),
    bids BIGINT,
    total BIGINT,
    highest BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO over_range
SELECT auction, bidder, price, `dateTime`, COUNT(*) OVER w, SUM(price) OVER w, MAX(price) OVER w
FROM bid
WINDOW w AS (
    PARTITION BY bidder
    ORDER BY `dateTime`
    RANGE BETWEEN INTERVAL '10' SECOND PRECEDING AND CURRENT ROW);
