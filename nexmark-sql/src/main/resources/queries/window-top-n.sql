-- window-top-n: the three highest bids of each auction in 10 seconds.
-- There are 10,000 events per second of event time, as in over-range.
ALTER TABLE datagen SET ('first-event.rate' = '10000', 'next-event.rate' = '10000');

CREATE TABLE window_top_n (
    auction BIGINT,
    price BIGINT,
    rank_number BIGINT,
    window_end TIMESTAMP(3)
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO window_top_n
SELECT auction, price, rank_number, window_end
FROM (
    SELECT
        *,
        ROW_NUMBER() OVER (
            PARTITION BY window_start, window_end, auction ORDER BY price DESC) AS rank_number
    FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND))
)
WHERE rank_number <= 3;
