-- anti: auctions of which no bid has met the reserve. An ANTI join with a condition on both
-- sides, so each such bid takes an auction out of the result. Ours, not Nexmark's.
CREATE TABLE anti (
    id BIGINT,
    itemName VARCHAR,
    reserve BIGINT,
    seller BIGINT,
    category BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO anti
SELECT A.id, A.itemName, A.reserve, A.seller, A.category
FROM auction A
WHERE NOT EXISTS (
    SELECT 1
    FROM bid B
    WHERE B.auction = A.id AND B.price >= A.reserve
);
