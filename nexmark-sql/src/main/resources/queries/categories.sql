-- categories: number of bids and highest bid per category. A join with an aggregate above it that it
-- cannot be fused with, over very few groups. Ours, not Nexmark's.
CREATE TABLE categories (
    category BIGINT,
    bids BIGINT,
    highest BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO categories
SELECT A.category, COUNT(*), MAX(B.price)
FROM auction A
JOIN bid B ON A.id = B.auction
GROUP BY A.category;
