-- cumulate: a bidder's bids since the last full minute, every 10 seconds. Their number, sum and
-- highest price: an aggregate of cumulating windows, whose slices are shared. Ours, not Nexmark's.
-- There are 10,000 events per second of event time, as in over-range.
ALTER TABLE datagen SET ('first-event.rate' = '10000', 'next-event.rate' = '10000');

CREATE TABLE cumulated_bids (
    bidder BIGINT,
    window_start TIMESTAMP(3),
    window_end TIMESTAMP(3),
    bids BIGINT,
    total BIGINT,
    highest BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO cumulated_bids
SELECT bidder, window_start, window_end, COUNT(*), SUM(price), MAX(price)
FROM TABLE(
    CUMULATE(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND, INTERVAL '1' MINUTE))
GROUP BY bidder, window_start, window_end;
