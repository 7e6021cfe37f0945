-- limit: the first 1,000 bids, whatever they are. LIMIT without an order, which goes on reading its
-- input. Ours, not Nexmark's.
CREATE TABLE first_bids (
    auction BIGINT,
    bidder BIGINT,
    price BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO first_bids
SELECT auction, bidder, price
FROM bid
LIMIT 1000;
