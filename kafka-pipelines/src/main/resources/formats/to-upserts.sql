INSERT INTO orders_by_id
SELECT * FROM orders;
