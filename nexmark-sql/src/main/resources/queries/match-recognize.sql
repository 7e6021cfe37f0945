-- match-recognize: bids of an auction that go down in price, and the first that is higher again.
-- MATCH_RECOGNIZE by row time, which stays Flink's. Ours, not Nexmark's. There are 10,000 events per
-- second of event time, so that watermarks pass rows all the time.
ALTER TABLE datagen SET ('first-event.rate' = '10000', 'next-event.rate' = '10000');

CREATE TABLE recognized_bids (
    auction BIGINT,
    first_price BIGINT,
    lowest_price BIGINT,
    last_price BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO recognized_bids
SELECT auction, first_price, lowest_price, last_price
FROM bid
MATCH_RECOGNIZE (
    PARTITION BY auction
    ORDER BY `dateTime`
    MEASURES
        A.price AS first_price,
        LAST(B.price) AS lowest_price,
        C.price AS last_price
    ONE ROW PER MATCH
    AFTER MATCH SKIP PAST LAST ROW
    PATTERN (A B+ C)
    DEFINE
        B AS B.price < A.price AND (LAST(B.price, 1) IS NULL OR B.price < LAST(B.price, 1)),
        C AS C.price > LAST(B.price)
);
