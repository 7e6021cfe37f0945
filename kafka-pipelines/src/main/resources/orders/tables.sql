CREATE TABLE customers (
    id BIGINT,
    name STRING,
    region STRING,
    PRIMARY KEY (id) NOT ENFORCED
) WITH (
    'connector' = 'kafka',
    'topic' = 'customers',
    'properties.bootstrap.servers' = 'localhost:9092',
    'scan.startup.mode' = 'earliest-offset',
    'format' = 'debezium-json'
);

CREATE TABLE orders (
    id BIGINT,
    customer_id BIGINT,
    status STRING,
    PRIMARY KEY (id) NOT ENFORCED
) WITH (
    'connector' = 'kafka',
    'topic' = 'orders',
    'properties.bootstrap.servers' = 'localhost:9092',
    'scan.startup.mode' = 'earliest-offset',
    'format' = 'debezium-json'
);

CREATE TABLE order_lines (
    id BIGINT,
    order_id BIGINT,
    product STRING,
    quantity INT,
    cents BIGINT,
    PRIMARY KEY (id) NOT ENFORCED
) WITH (
    'connector' = 'kafka',
    'topic' = 'order_lines',
    'properties.bootstrap.servers' = 'localhost:9092',
    'scan.startup.mode' = 'earliest-offset',
    'format' = 'debezium-json'
);

CREATE TABLE payments (
    line_id BIGINT,
    cents BIGINT,
    state STRING,
    PRIMARY KEY (line_id) NOT ENFORCED
) WITH (
    'connector' = 'kafka',
    'topic' = 'payments',
    'properties.bootstrap.servers' = 'localhost:9092',
    'scan.startup.mode' = 'earliest-offset',
    'format' = 'debezium-json'
);

CREATE TABLE largest_orders (
    order_id BIGINT,
    customer_id BIGINT,
    customer STRING,
    line_count BIGINT,
    cents BIGINT,
    paid_cents BIGINT,
    PRIMARY KEY (order_id) NOT ENFORCED
) WITH (
    'connector' = 'upsert-kafka',
    'topic' = 'largest_orders',
    'properties.bootstrap.servers' = 'localhost:9092',
    'properties.transaction.timeout.ms' = '900000',
    'key.format' = 'json',
    'value.format' = 'json',
    'sink.delivery-guarantee' = 'exactly-once',
    'sink.transactional-id-prefix' = 'largest-orders'
);
