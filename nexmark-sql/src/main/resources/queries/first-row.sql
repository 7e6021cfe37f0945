-- first-row: the first bid, by row time, of each bidder for each auction. Flink emits it when a watermark
-- passes it. Ours, not Nexmark's. There are 10,000 events per second of event time, so that watermarks
-- pass rows all the time.
ALTER TABLE datagen SET ('first-event.rate' = '10000', 'next-event.rate' = '10000');

CREATE TABLE first_row (
    auction BIGINT,
    bidder BIGINT,
    `dateTime` TIMESTAMP(3)
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO first_row
SELECT auction, bidder, `dateTime`
FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY auction, bidder ORDER BY `dateTime`) AS n
    FROM bid)
WHERE n = 1;
