-- over-arrival-range: number, sum and highest of a bidder's bids of the second up to each bid. An OVER
-- aggregate by processing time whose frames lose rows. Ours, not Nexmark's.
CREATE TABLE over_arrival_range (
    auction BIGINT,
    bidder BIGINT,
    price BIGINT,
    `dateTime` TIMESTAMP(3),
    bids BIGINT,
    total BIGINT,
    highest BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO over_arrival_range
SELECT auction, bidder, price, `dateTime`, COUNT(*) OVER w, SUM(price) OVER w, MAX(price) OVER w
FROM (SELECT *, PROCTIME() AS p FROM bid)
WINDOW w AS (
    PARTITION BY bidder
    ORDER BY p
    RANGE BETWEEN INTERVAL '1' SECOND PRECEDING AND CURRENT ROW);
