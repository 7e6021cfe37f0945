-- checkpoint-valuestate: a sum per key, most keys new, with a checkpoint every half second. One
-- ValueState that grows with every event; how long checkpoints take, what they write and how fast
-- a job starts from one is what counts. After Flink's measurements of the changelog backend.
CREATE TABLE checkpoint_valuestate (
    auction BIGINT,
    bidder BIGINT,
    price_group BIGINT,
    bids BIGINT,
    volume BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO checkpoint_valuestate
SELECT auction, bidder, MOD(price, 1000), COUNT(*), SUM(price)
FROM bid
GROUP BY auction, bidder, MOD(price, 1000);
