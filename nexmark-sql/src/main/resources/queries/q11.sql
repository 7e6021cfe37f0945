-- q11: user sessions. How many bids a user made before a pause of 10 seconds. Session windows.
CREATE TABLE nexmark_q11 (
    bidder BIGINT,
    bid_count BIGINT,
    starttime TIMESTAMP(3),
    endtime TIMESTAMP(3)
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO nexmark_q11
SELECT
    B.bidder,
    COUNT(*) AS bid_count,
    SESSION_START(B.`dateTime`, INTERVAL '10' SECOND) AS starttime,
    SESSION_END(B.`dateTime`, INTERVAL '10' SECOND) AS endtime
FROM bid B
GROUP BY B.bidder, SESSION(B.`dateTime`, INTERVAL '10' SECOND);
