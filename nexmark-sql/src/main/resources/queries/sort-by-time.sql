-- sort-by-time: bids by row time, and by price within one time. Ours, not Nexmark's. There are 10,000
-- events per second of event time, so that watermarks pass rows all the time.
ALTER TABLE datagen SET ('first-event.rate' = '10000', 'next-event.rate' = '10000');

CREATE TABLE sort_by_time (
    auction BIGINT,
    bidder BIGINT,
    price BIGINT,
    `dateTime` TIMESTAMP(3)
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO sort_by_time
SELECT auction, bidder, price, `dateTime`
FROM bid
ORDER BY `dateTime`, price;
