INSERT INTO orders_per_customer
SELECT customer_id, COUNT(*), MAX(id)
FROM orders_by_id
WHERE status <> 'status 2'
GROUP BY customer_id;
