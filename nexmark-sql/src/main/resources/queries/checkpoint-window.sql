-- checkpoint-window: a sliding window in processing time, with a checkpoint every half second. Each
-- bid counts in ten windows, so all of the state changes between two checkpoints. After Flink's
-- measurements of the changelog backend.
CREATE TABLE checkpoint_window (
    auction BIGINT,
    window_start TIMESTAMP_LTZ(3),
    bids BIGINT,
    volume BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO checkpoint_window
SELECT auction, HOP_START(p, INTERVAL '1' SECOND, INTERVAL '10' SECOND), COUNT(*), SUM(price)
FROM (SELECT auction, price, PROCTIME() AS p FROM bid)
GROUP BY auction, HOP(p, INTERVAL '1' SECOND, INTERVAL '10' SECOND);
