-- over-arrival-all: number and sum of a bidder's bids that have arrived up to each bid. An OVER aggregate by
-- processing time over all rows so far. Ours, not Nexmark's.
CREATE TABLE over_arrival_all (
    auction BIGINT,
    bidder BIGINT,
    price BIGINT,
    `dateTime` TIMESTAMP(3),
    bids BIGINT,
    total BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO over_arrival_all
SELECT auction, bidder, price, `dateTime`, COUNT(*) OVER w, SUM(price) OVER w
FROM (SELECT *, PROCTIME() AS p FROM bid)
WINDOW w AS (PARTITION BY bidder ORDER BY p);
