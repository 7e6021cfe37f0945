-- arrival-interval-join: auctions with the bids that arrive within two seconds of them. An interval join by
-- processing time. Ours, not Nexmark's.
CREATE TABLE arrival_interval_join (
    auction BIGINT,
    itemName VARCHAR,
    seller BIGINT,
    bidder BIGINT,
    price BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO arrival_interval_join
SELECT A.id, A.itemName, A.seller, B.bidder, B.price
FROM (SELECT *, PROCTIME() AS p FROM auction) A
JOIN (SELECT *, PROCTIME() AS p FROM bid) B
ON A.id = B.auction
  AND B.p BETWEEN A.p - INTERVAL '2' SECOND AND A.p + INTERVAL '2' SECOND;
