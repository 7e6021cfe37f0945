-- window-join: the bids on each auction within 10 seconds in which it was opened. A join of windows
-- whose rows have not been aggregated.
-- There are 10,000 events per second of event time, as in over-range.
ALTER TABLE datagen SET ('first-event.rate' = '10000', 'next-event.rate' = '10000');

CREATE TABLE window_join (
    id BIGINT,
    seller BIGINT,
    bidder BIGINT,
    price BIGINT,
    window_end TIMESTAMP(3)
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO window_join
SELECT A.id, A.seller, B.bidder, B.price, A.window_end
FROM (
    SELECT * FROM TABLE(TUMBLE(TABLE auction, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND))
) A
JOIN (
    SELECT * FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND))
) B
ON A.id = B.auction AND A.window_start = B.window_start AND A.window_end = B.window_end;
