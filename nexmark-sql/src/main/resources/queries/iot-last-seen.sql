-- iot-last-seen: the last time of each of 300 event types of each of 20,000 devices. A map per
-- device, one entry read, compared and written per event, and far more entries than the cache
-- holds. After a published post-mortem of such a job.
CREATE TEMPORARY FUNCTION last_seen AS 'io.stateaccel.nexmark.function.LastSeen';

CREATE TABLE iot_last_seen (
    device BIGINT,
    event_type INT,
    last_seen BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

CREATE VIEW readings AS
SELECT
    MOD(price + bidder, 20000) AS device,
    CAST(MOD(price * 31 + auction, 300) AS INT) AS event_type,
    `dateTime`
FROM bid;

INSERT INTO iot_last_seen
SELECT device, event_type, last_seen
FROM last_seen(input => TABLE readings PARTITION BY device, on_time => DESCRIPTOR(`dateTime`));
