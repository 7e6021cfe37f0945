-- sample-join: a union of streams folded into one object per key, emitted by a timer. One
-- ValueState that every event reads and writes and a timer per key that emits and clears it. After
-- Weibo's sample joins on Gemini.
CREATE TEMPORARY FUNCTION sample_join AS 'io.stateaccel.nexmark.function.SampleJoin';

ALTER TABLE datagen SET ('first-event.rate' = '10000', 'next-event.rate' = '10000');

CREATE TABLE sample_join_result (
    id BIGINT,
    category BIGINT,
    description VARCHAR,
    bids BIGINT,
    volume BIGINT,
    highest BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

CREATE VIEW samples AS
SELECT id, category, description, CAST(NULL AS BIGINT) AS price, `dateTime`
FROM auction
UNION ALL
SELECT auction AS id, CAST(NULL AS BIGINT), CAST(NULL AS VARCHAR), price, `dateTime`
FROM bid;

INSERT INTO sample_join_result
SELECT id, category, description, bids, volume, highest
FROM sample_join(input => TABLE samples PARTITION BY id, on_time => DESCRIPTOR(`dateTime`));
