-- q2: selection. The bids for every 123rd auction; no state.
CREATE TABLE nexmark_q2 (
    auction BIGINT,
    price BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO nexmark_q2
SELECT auction, price
FROM bid
WHERE MOD(auction, 123) = 0;
