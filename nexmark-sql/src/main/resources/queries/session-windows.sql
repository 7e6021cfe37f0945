-- session-windows: number and sum of the bids that a user made before a pause of 10 seconds. As q11, by
-- the function SESSION of tables. Ours, not Nexmark's. There are 10,000 events per second of event
-- time, so that watermarks pass sessions all the time.
ALTER TABLE datagen SET ('first-event.rate' = '10000', 'next-event.rate' = '10000');

CREATE TABLE session_windows (
    bidder BIGINT,
    bids BIGINT,
    total BIGINT,
    window_start TIMESTAMP(3),
    window_end TIMESTAMP(3)
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO session_windows
SELECT bidder, COUNT(*), SUM(price), window_start, window_end
FROM TABLE(SESSION(TABLE bid PARTITION BY bidder, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND))
GROUP BY bidder, window_start, window_end;
