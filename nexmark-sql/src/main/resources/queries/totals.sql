-- totals: each auction with the number, the sum and the highest of its bids so far. A join whose one
-- side is only aggregated, per row of the other. Ours, not Nexmark's.
CREATE TABLE totals (
    auction BIGINT,
    category BIGINT,
    bids BIGINT,
    total BIGINT,
    highest BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO totals
SELECT A.id, A.category, COUNT(*), SUM(B.price), MAX(B.price)
FROM (SELECT DISTINCT id, category FROM auction) A
JOIN bid B ON A.id = B.auction
GROUP BY A.id, A.category;
