-- Queries whose state does not grow, however much they read: keys repeat, and what is kept per key
-- has a bound. So whatever grows all the same is a leak.

-- One accumulator per key.
CREATE TABLE bids_per_key (
    key BIGINT,
    bids BIGINT,
    highest BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

-- COUNT(DISTINCT): maps of a bounded number of values.
CREATE TABLE bidders_per_key (
    key BIGINT,
    bidders BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

-- A top-N of insertions.
CREATE TABLE highest_bids (
    key BIGINT,
    price BIGINT,
    rank_number BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

-- A join of two deduplications: one row per key and side.
CREATE TABLE last_bids_of_auctions (
    key BIGINT,
    price BIGINT,
    category BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

EXECUTE STATEMENT SET
BEGIN

INSERT INTO bids_per_key
SELECT MOD(auction, 50000), COUNT(*), MAX(price)
FROM bid
GROUP BY MOD(auction, 50000);

INSERT INTO bidders_per_key
SELECT MOD(auction, 100), COUNT(DISTINCT MOD(bidder, 500))
FROM bid
GROUP BY MOD(auction, 100);

INSERT INTO highest_bids
SELECT key, price, rank_number
FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY key ORDER BY price DESC) AS rank_number
    FROM (SELECT MOD(auction, 5000) AS key, price FROM bid)
)
WHERE rank_number <= 5;

INSERT INTO last_bids_of_auctions
SELECT B.key, B.price, A.category
FROM (
    SELECT key, price
    FROM (
        SELECT *, ROW_NUMBER() OVER (PARTITION BY key ORDER BY `dateTime` DESC) AS row_number_b
        FROM (SELECT MOD(auction, 20000) AS key, price, `dateTime` FROM bid)
    )
    WHERE row_number_b = 1
) B
JOIN (
    SELECT key, category
    FROM (
        SELECT *, ROW_NUMBER() OVER (PARTITION BY key ORDER BY `dateTime` DESC) AS row_number_a
        FROM (SELECT MOD(id, 20000) AS key, category, `dateTime` FROM auction)
    )
    WHERE row_number_a = 1
) A
ON A.key = B.key;

END;
