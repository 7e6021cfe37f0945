-- window-last-row: when each bidder was last heard of in 10 seconds, every 2 seconds. A deduplication
-- in sliding windows. Bids of one millisecond tie, so nothing else of them is compared.
-- There are 10,000 events per second of event time, as in over-range.
ALTER TABLE datagen SET ('first-event.rate' = '10000', 'next-event.rate' = '10000');

CREATE TABLE window_last_row (
    bidder BIGINT,
    `dateTime` TIMESTAMP(3),
    window_end TIMESTAMP(3)
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO window_last_row
SELECT bidder, `dateTime`, window_end
FROM (
    SELECT
        *,
        ROW_NUMBER() OVER (
            PARTITION BY window_start, window_end, bidder ORDER BY `dateTime` DESC) AS n
    FROM TABLE(
        HOP(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '2' SECOND, INTERVAL '10' SECOND))
)
WHERE n = 1;
