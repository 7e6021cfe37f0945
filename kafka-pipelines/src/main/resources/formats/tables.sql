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

CREATE TABLE orders_by_id (
    id BIGINT,
    customer_id BIGINT,
    status STRING,
    PRIMARY KEY (id) NOT ENFORCED
) WITH (
    'connector' = 'upsert-kafka',
    'topic' = 'orders_by_id',
    'properties.bootstrap.servers' = 'localhost:9092',
    'properties.transaction.timeout.ms' = '900000',
    'key.format' = 'json',
    'value.format' = 'avro',
    'sink.delivery-guarantee' = 'exactly-once',
    'sink.transactional-id-prefix' = 'orders-by-id'
);

CREATE TABLE orders_per_customer (
    customer_id BIGINT,
    order_count BIGINT,
    newest_order BIGINT,
    PRIMARY KEY (customer_id) NOT ENFORCED
) WITH (
    'connector' = 'upsert-kafka',
    'topic' = 'orders_per_customer',
    'properties.bootstrap.servers' = 'localhost:9092',
    'properties.transaction.timeout.ms' = '900000',
    'key.format' = 'json',
    'value.format' = 'avro',
    'sink.delivery-guarantee' = 'exactly-once',
    'sink.transactional-id-prefix' = 'orders-per-customer'
);
