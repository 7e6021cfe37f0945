-- over-arrival-rows: sum and mean of an auction's last ten bids to arrive. An OVER aggregate by processing
-- time over a number of rows. Ours, not Nexmark's.
CREATE TABLE over_arrival_rows (
    auction BIGINT,
    bidder BIGINT,
    price BIGINT,
    `dateTime` TIMESTAMP(3),
    total BIGINT,
    mean BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO over_arrival_rows
SELECT auction, bidder, price, `dateTime`, SUM(price) OVER w, AVG(price) OVER w
FROM (SELECT *, PROCTIME() AS p FROM bid)
WINDOW w AS (
    PARTITION BY auction
    ORDER BY p
    ROWS BETWEEN 9 PRECEDING AND CURRENT ROW);
