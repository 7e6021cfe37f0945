INSERT INTO tracking
SELECT s.id, p.id, s.place, p.grams
FROM scans AS s
JOIN parcels AS p ON s.parcel_id = p.id;
