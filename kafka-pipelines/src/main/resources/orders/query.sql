INSERT INTO largest_orders
SELECT order_id, customer_id, customer, line_count, cents, paid_cents
FROM (
    SELECT
        *,
        ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY cents DESC, order_id) AS place
    FROM (
        SELECT
            o.id AS order_id,
            c.id AS customer_id,
            c.name AS customer,
            COUNT(*) AS line_count,
            SUM(l.quantity * l.cents) AS cents,
            SUM(CASE WHEN p.state = 'PAID' THEN p.cents ELSE 0 END) AS paid_cents
        FROM order_lines AS l
        JOIN orders AS o ON l.order_id = o.id
        JOIN customers AS c ON o.customer_id = c.id
        LEFT JOIN payments AS p ON p.line_id = l.id
        GROUP BY o.id, c.id, c.name
    )
)
WHERE place <= 3;
