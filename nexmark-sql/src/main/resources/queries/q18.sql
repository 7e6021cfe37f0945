-- q18: find last bid. The last bid of each bidder on each auction. A deduplication.
-- Bids of one millisecond tie, and either may be the last: only the columns that the query
-- determines are compared.
CREATE TABLE nexmark_q18 (
    auction BIGINT,
    bidder BIGINT,
    price BIGINT,
    channel VARCHAR,
    url VARCHAR,
    `dateTime` TIMESTAMP(3),
    extra VARCHAR
) WITH (
    'connector' = 'nexmark-checksum',
    'ignored-columns' = 'price;channel;url;extra'
);

INSERT INTO nexmark_q18
SELECT auction, bidder, price, channel, url, `dateTime`, extra
FROM (
    SELECT
        *,
        ROW_NUMBER() OVER (PARTITION BY bidder, auction ORDER BY `dateTime` DESC) AS rank_number
    FROM bid
)
WHERE rank_number <= 1;
