-- q13: bounded side input. Each bid with a value looked up by auction; no state. Published with a
-- CSV file as side input, which Flink's filesystem connector cannot look up; here a table that
-- answers lookups from memory takes the file's place.
CREATE TABLE side_input (
    key BIGINT,
    `value` VARCHAR
) WITH (
    'connector' = 'nexmark-side-input'
);

CREATE TABLE nexmark_q13 (
    auction BIGINT,
    bidder BIGINT,
    price BIGINT,
    `dateTime` TIMESTAMP(3),
    `value` VARCHAR
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO nexmark_q13
SELECT B.auction, B.bidder, B.price, B.`dateTime`, S.`value`
FROM (SELECT *, PROCTIME() AS p_time FROM bid) B
JOIN side_input FOR SYSTEM_TIME AS OF B.p_time AS S
ON MOD(B.auction, 10000) = S.key;
