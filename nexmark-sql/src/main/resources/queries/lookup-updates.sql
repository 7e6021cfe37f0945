-- lookup-updates: rows that change, each with a value looked up by its amount. A lookup join of updates,
-- which with TRY_RESOLVE keeps what it has found, as what it has added is to be taken back and may not
-- be found again. Ours, not Nexmark's. Flink looks for this option in the session's configuration only.
SET 'table.optimizer.non-deterministic-update.strategy' = 'TRY_RESOLVE';

ALTER TABLE changes SET (
    'changelog' = 'retract',
    'changes-per-row' = '10'
);

CREATE TABLE side_input (
    key BIGINT,
    `value` VARCHAR
) WITH (
    'connector' = 'nexmark-side-input'
);

CREATE TABLE changes_with_value (
    id BIGINT,
    place BIGINT,
    amount BIGINT,
    `value` VARCHAR
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO changes_with_value
SELECT C.id, C.place, C.amount, S.`value`
FROM (SELECT *, PROCTIME() AS p_time FROM changes) C
JOIN side_input FOR SYSTEM_TIME AS OF C.p_time AS S
ON MOD(C.amount, 10000) = S.key;
