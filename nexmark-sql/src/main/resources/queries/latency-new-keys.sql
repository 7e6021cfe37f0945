-- latency-new-keys: each auction with what each of its bidders did. Auctions are ever new and bids go to
-- the newest, so no key of the aggregate or of the join comes again for long.
ALTER TABLE latencies ADD (bidder BIGINT, category BIGINT, price BIGINT);

-- The table keeps something for each key of a result, so it is not given ever-new ones.
INSERT INTO latencies
SELECT MOD(A.id, 1000), B.bids, B.created_sum, B.bidder, A.category, B.price
FROM auction A
JOIN (
    SELECT auction, bidder, MAX(price) AS price, COUNT(*) AS bids, SUM(created) AS created_sum
    FROM bid
    GROUP BY auction, bidder
) B
ON A.id = B.auction;
