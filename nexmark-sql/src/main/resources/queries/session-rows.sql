-- session-rows: the bids of a user before a pause of 10 seconds, each with its session.
-- As session-windows, without an aggregate. Ours, not Nexmark's. There are 10,000 events per second of
-- event time, so that watermarks pass sessions all the time.
ALTER TABLE datagen SET ('first-event.rate' = '10000', 'next-event.rate' = '10000');

CREATE TABLE session_rows (
    bidder BIGINT,
    auction BIGINT,
    price BIGINT,
    window_start TIMESTAMP(3),
    window_end TIMESTAMP(3)
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO session_rows
SELECT bidder, auction, price, window_start, window_end
FROM TABLE(SESSION(TABLE bid PARTITION BY bidder, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND));
