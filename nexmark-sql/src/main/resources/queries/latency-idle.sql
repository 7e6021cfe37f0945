-- latency-idle: twenty aggregates side by side, to see at a row now and then what a job costs that has
-- nothing to do.
ALTER TABLE latencies ADD (price BIGINT);

INSERT INTO latencies
SELECT 1000 + MOD(bidder, 16), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 16)
UNION ALL
SELECT 2000 + MOD(bidder, 17), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 17)
UNION ALL
SELECT 3000 + MOD(bidder, 18), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 18)
UNION ALL
SELECT 4000 + MOD(bidder, 19), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 19)
UNION ALL
SELECT 5000 + MOD(bidder, 20), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 20)
UNION ALL
SELECT 6000 + MOD(bidder, 21), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 21)
UNION ALL
SELECT 7000 + MOD(bidder, 22), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 22)
UNION ALL
SELECT 8000 + MOD(bidder, 23), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 23)
UNION ALL
SELECT 9000 + MOD(bidder, 24), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 24)
UNION ALL
SELECT 10000 + MOD(bidder, 25), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 25)
UNION ALL
SELECT 11000 + MOD(bidder, 26), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 26)
UNION ALL
SELECT 12000 + MOD(bidder, 27), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 27)
UNION ALL
SELECT 13000 + MOD(bidder, 28), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 28)
UNION ALL
SELECT 14000 + MOD(bidder, 29), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 29)
UNION ALL
SELECT 15000 + MOD(bidder, 30), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 30)
UNION ALL
SELECT 16000 + MOD(bidder, 31), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 31)
UNION ALL
SELECT 17000 + MOD(bidder, 32), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 32)
UNION ALL
SELECT 18000 + MOD(bidder, 33), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 33)
UNION ALL
SELECT 19000 + MOD(bidder, 34), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 34)
UNION ALL
SELECT 20000 + MOD(bidder, 35), COUNT(*), SUM(created), MAX(price)
FROM bid
GROUP BY MOD(bidder, 35);
