-- The tables of ./bench latency: the Nexmark stream with a timetable, its views with the creation
-- time of each row, and the table that measures how long results took. A result's rows are known by
-- their number and the sum of their creation times: neither costs more when rows are retracted.
CREATE TABLE events (
    event_type INT,
    person ROW<
        id BIGINT,
        `dateTime` TIMESTAMP(3)>,
    auction ROW<
        id BIGINT,
        `dateTime` TIMESTAMP(3),
        expires TIMESTAMP(3),
        seller BIGINT,
        category BIGINT>,
    bid ROW<
        auction BIGINT,
        bidder BIGINT,
        price BIGINT,
        `dateTime` TIMESTAMP(3)>,
    created BIGINT,
    `dateTime` AS
        CASE
            WHEN event_type = 0 THEN person.`dateTime`
            WHEN event_type = 1 THEN auction.`dateTime`
            ELSE bid.`dateTime`
        END,
    WATERMARK FOR `dateTime` AS `dateTime` - INTERVAL '4' SECOND
) WITH (
    'connector' = 'nexmark',
    'rate.limited' = 'true',
    'first-event.rate' = '1000',
    'next-event.rate' = '1000',
    'person.proportion' = '1',
    'auction.proportion' = '3',
    'bid.proportion' = '46',
    -- Else most auctions are not their seller's newest for long enough to be seen.
    'auction.hot-ratio.sellers' = '1'
);

CREATE VIEW auction AS
SELECT
    auction.id,
    `dateTime`,
    auction.expires,
    auction.seller,
    auction.category,
    created
FROM events
WHERE event_type = 1;

CREATE VIEW bid AS
SELECT
    bid.auction,
    bid.bidder,
    bid.price,
    `dateTime`,
    created
FROM events
WHERE event_type = 2;

-- Further columns do not matter to it: each query adds those of its result.
CREATE TABLE latencies (
    result_key BIGINT,
    row_count BIGINT,
    created_sum BIGINT
) WITH (
    'connector' = 'nexmark-latency',
    'measure.start' = '2026-01-01T00:00:00Z',
    'measure.from' = '2026-01-01T00:00:00Z',
    'measure.until' = '9999-01-01T00:00:00Z'
);
