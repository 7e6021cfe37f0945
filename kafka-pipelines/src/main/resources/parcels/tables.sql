CREATE TABLE parcels (
    id BIGINT,
    grams BIGINT
) WITH (
    'connector' = 'kafka',
    'topic' = 'parcels',
    'properties.bootstrap.servers' = 'localhost:9092',
    'scan.startup.mode' = 'earliest-offset',
    'format' = 'json'
);

CREATE TABLE scans (
    id BIGINT,
    parcel_id BIGINT,
    place STRING
) WITH (
    'connector' = 'kafka',
    'topic' = 'scans',
    'properties.bootstrap.servers' = 'localhost:9092',
    'scan.startup.mode' = 'earliest-offset',
    'format' = 'json'
);

CREATE TABLE tracking (
    scan_id BIGINT,
    parcel_id BIGINT,
    place STRING,
    grams BIGINT
) WITH (
    'connector' = 'kafka',
    'topic' = 'tracking',
    'properties.bootstrap.servers' = 'localhost:9092',
    'properties.transaction.timeout.ms' = '900000',
    'format' = 'json',
    'sink.delivery-guarantee' = 'exactly-once',
    'sink.transactional-id-prefix' = 'tracking'
);
