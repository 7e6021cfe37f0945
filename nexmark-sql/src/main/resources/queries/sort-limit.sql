-- sort-limit: the 100 pairs of an auction and a bidder with the most bids. ORDER BY and LIMIT above an
-- aggregate: all of its changes are those of one key. Ours, not Nexmark's.
CREATE TABLE most_bids (
    auction BIGINT,
    bidder BIGINT,
    bids BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO most_bids
SELECT auction, bidder, bids
FROM (
    SELECT auction, bidder, COUNT(*) AS bids
    FROM bid
    GROUP BY auction, bidder
)
ORDER BY bids DESC, auction, bidder
LIMIT 100;
