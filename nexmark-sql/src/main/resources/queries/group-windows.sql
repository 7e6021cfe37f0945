-- group-windows: number, sum and highest of the bids on each auction in 10 seconds, every 2 seconds. A
-- sliding window in GROUP BY, which Flink plans in one phase. Ours, not Nexmark's. There are 10,000
-- events per second of event time, so that watermarks pass windows all the time.
ALTER TABLE datagen SET ('first-event.rate' = '10000', 'next-event.rate' = '10000');

CREATE TABLE group_windows (
    auction BIGINT,
    bids BIGINT,
    total BIGINT,
    highest BIGINT,
    window_start TIMESTAMP(3)
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO group_windows
SELECT
    auction,
    COUNT(*),
    SUM(price),
    MAX(price),
    HOP_START(`dateTime`, INTERVAL '2' SECOND, INTERVAL '10' SECOND)
FROM bid
GROUP BY auction, HOP(`dateTime`, INTERVAL '2' SECOND, INTERVAL '10' SECOND);
