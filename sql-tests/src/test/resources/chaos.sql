-- The queries that crashes are to leave right, one per kind of state. Only columns that the query
-- determines are selected: where rows tie, which of them comes first is left open.

-- One accumulator per auction.
CREATE TABLE bids_per_auction (
    auction BIGINT,
    bids BIGINT,
    lowest BIGINT,
    highest BIGINT,
    total BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

-- COUNT(DISTINCT): maps from value to count beside the accumulator.
CREATE TABLE bidders_per_channel (
    channel VARCHAR,
    bids BIGINT,
    bidders BIGINT,
    auctions BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

-- A deduplication: one row per key.
CREATE TABLE last_bids (
    auction BIGINT,
    bidder BIGINT,
    `dateTime` TIMESTAMP(3)
) WITH (
    'connector' = 'nexmark-checksum'
);

-- A top-N: a map from price to rows per auction.
CREATE TABLE highest_bids (
    auction BIGINT,
    price BIGINT,
    rank_number BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

-- Nexmark's q4: a join, a maximum over it, and an average over maxima that keep changing.
CREATE TABLE average_final_prices (
    category BIGINT,
    final BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

EXECUTE STATEMENT SET
BEGIN

INSERT INTO bids_per_auction
SELECT auction, COUNT(*), MIN(price), MAX(price), SUM(price)
FROM bid
GROUP BY auction;

INSERT INTO bidders_per_channel
SELECT channel, COUNT(*), COUNT(DISTINCT bidder), COUNT(DISTINCT auction)
FROM bid
GROUP BY channel;

INSERT INTO last_bids
SELECT auction, bidder, `dateTime`
FROM (
    SELECT
        *,
        ROW_NUMBER() OVER (PARTITION BY bidder, auction ORDER BY `dateTime` DESC) AS rank_number
    FROM bid
)
WHERE rank_number = 1;

INSERT INTO highest_bids
SELECT auction, price, rank_number
FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC) AS rank_number
    FROM bid
)
WHERE rank_number <= 10;

INSERT INTO average_final_prices
SELECT category, AVG(final)
FROM (
    SELECT MAX(B.price) AS final, A.category
    FROM auction A, bid B
    WHERE A.id = B.auction AND B.`dateTime` BETWEEN A.`dateTime` AND A.expires
    GROUP BY A.id, A.category
)
GROUP BY category;

END;
