-- q10: log of bids. Every bid with the day and the minute it belongs to; no state. Published with
-- a sink of partitioned files; here the rows go where those of all other queries go, so only
-- working out the partition is measured.
CREATE TABLE nexmark_q10 (
    auction BIGINT,
    bidder BIGINT,
    price BIGINT,
    `dateTime` TIMESTAMP(3),
    extra VARCHAR,
    dt STRING,
    hm STRING
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO nexmark_q10
SELECT
    auction,
    bidder,
    price,
    `dateTime`,
    extra,
    DATE_FORMAT(`dateTime`, 'yyyy-MM-dd'),
    DATE_FORMAT(`dateTime`, 'HH:mm')
FROM bid;
