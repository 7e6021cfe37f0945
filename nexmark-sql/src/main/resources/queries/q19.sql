-- q19: auction top 10. The ten highest bids of each auction with their ranks.
-- Bids of one price tie, and either may be ranked first: only the columns that the query
-- determines are compared.
CREATE TABLE nexmark_q19 (
    auction BIGINT,
    bidder BIGINT,
    price BIGINT,
    channel VARCHAR,
    url VARCHAR,
    `dateTime` TIMESTAMP(3),
    extra VARCHAR,
    rank_number BIGINT
) WITH (
    'connector' = 'nexmark-checksum',
    'ignored-columns' = 'bidder;channel;url;dateTime;extra'
);

INSERT INTO nexmark_q19
SELECT *
FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC) AS rank_number
    FROM bid
)
WHERE rank_number <= 10;
