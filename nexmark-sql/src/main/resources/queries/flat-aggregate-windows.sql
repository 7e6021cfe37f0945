-- flat-aggregate-windows: the two highest bids on each auction in 10 seconds, every 2 seconds. A
-- flatAggregate of the Table API in sliding windows, which SQL has no words for: two_highest_of_windows
-- is a view that TableApiView adds. Ours, not Nexmark's. There are 10,000 events per second of event
-- time, so that watermarks pass windows all the time.
ALTER TABLE datagen SET ('first-event.rate' = '10000', 'next-event.rate' = '10000');

CREATE TABLE two_highest_bids (
    auction BIGINT,
    place INT,
    price BIGINT,
    window_start TIMESTAMP(3)
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO two_highest_bids
SELECT auction, place, price, window_start FROM two_highest_of_windows;
