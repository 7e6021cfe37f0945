-- q23: bids of sellers. Every bid with its bidder and each auction that this bidder opened. A
-- regular join of three streams on one key.
CREATE TABLE nexmark_q23 (
    bidder BIGINT,
    price BIGINT,
    channel VARCHAR,
    url VARCHAR,
    bid_extra VARCHAR,
    person_id BIGINT,
    name VARCHAR,
    emailAddress VARCHAR,
    creditCard VARCHAR,
    city VARCHAR,
    state VARCHAR,
    person_extra VARCHAR,
    itemName VARCHAR,
    description VARCHAR,
    initialBid BIGINT,
    reserve BIGINT,
    auction_dateTime TIMESTAMP(3),
    expires TIMESTAMP(3),
    seller BIGINT,
    category BIGINT,
    auction_extra VARCHAR
) WITH (
    'connector' = 'nexmark-checksum'
);

INSERT INTO nexmark_q23
SELECT
    bidder, price, channel, url, B.extra,
    P.id, name, emailAddress, creditCard, city, state, P.extra,
    itemName, description, initialBid, reserve, A.`dateTime`, expires, seller, category, A.extra
FROM bid B
JOIN person P ON P.id = B.bidder
JOIN auction A ON A.seller = B.bidder;
