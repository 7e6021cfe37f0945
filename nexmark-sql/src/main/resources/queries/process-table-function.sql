-- process-table-function: a number for each bid of an auction. A process table function with a state
-- per auction. Ours, not Nexmark's.
CREATE FUNCTION number_rows AS 'io.stateaccel.nexmark.function.NumberRows';

CREATE VIEW auctions_of_bids AS
SELECT auction FROM bid;

CREATE TABLE numbered_bids (
    auction BIGINT,
    number BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO numbered_bids
SELECT auction, number
FROM number_rows(
    input => TABLE auctions_of_bids PARTITION BY auction,
    uid => 'number-rows');
