-- flat-aggregate: the two highest bids of each auction. A flatAggregate of the Table API, which SQL has
-- no words for: two_highest is a view that TableApiView adds. Ours, not Nexmark's.
CREATE TABLE two_highest_bids (
    auction BIGINT,
    place INT,
    price BIGINT
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO two_highest_bids
SELECT auction, place, price FROM two_highest;
