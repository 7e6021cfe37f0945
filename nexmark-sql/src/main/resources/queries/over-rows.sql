-- over-rows: sum and mean of an auction's last ten bids. An OVER aggregate by row time over a number
-- of rows. Ours, not Nexmark's. There are 10,000 events per second of event time, so that watermarks
-- pass rows all the time.
ALTER TABLE datagen SET ('first-event.rate' = '10000', 'next-event.rate' = '10000');

CREATE TABLE over_rows (
    auction BIGINT,
    bidder BIGINT,
    price BIGINT,
    `dateTime` TIMESTAMP(3),
    total BIGINT,
    mean BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO over_rows
SELECT auction, bidder, price, `dateTime`, SUM(price) OVER w, AVG(price) OVER w
FROM bid
WINDOW w AS (
    PARTITION BY auction
    ORDER BY `dateTime`
    ROWS BETWEEN 9 PRECEDING AND CURRENT ROW);
