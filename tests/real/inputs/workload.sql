-- A deterministic load: joins, triggers, recursive CTEs, views, window functions, JSON, savepoints, errors and integrity.
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, region TEXT, credit REAL CHECK (credit >= 0));
CREATE TABLE item(id INTEGER PRIMARY KEY, label TEXT, price REAL);
CREATE TABLE orders(id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer(id), item INTEGER REFERENCES item(id), n INTEGER);
CREATE TABLE log(what TEXT, which INTEGER);
CREATE INDEX orders_customer ON orders(customer, item);
CREATE TRIGGER ordered AFTER INSERT ON orders BEGIN
  INSERT INTO log VALUES('order', new.id);
  UPDATE customer SET credit = credit + new.n WHERE id = new.customer;
END;
CREATE TRIGGER gone AFTER DELETE ON orders WHEN old.n > 5 BEGIN
  INSERT INTO log VALUES('gone', old.id);
END;
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
  INSERT INTO customer SELECT i, 'customer ' || i, CASE i % 3 WHEN 0 THEN 'north' WHEN 1 THEN 'south' ELSE NULL END, i * 1.5 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25)
  INSERT INTO item SELECT i, printf('item-%03d', i), round(i * 3.7, 2) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
  INSERT INTO orders SELECT i, 1 + (i * 7) % 60, 1 + (i * 11) % 25, i % 9 FROM n;
COMMIT;
SELECT region, count(*), sum(n * price) FROM orders JOIN customer c ON c.id = customer JOIN item t ON t.id = item
  GROUP BY region ORDER BY 3 DESC;
SELECT c.name, group_concat(t.label, '/') FROM customer c LEFT JOIN orders o ON o.customer = c.id LEFT JOIN item t ON t.id = o.item
  WHERE c.id IN (SELECT customer FROM orders GROUP BY customer HAVING sum(n) > 20) GROUP BY c.id ORDER BY c.name LIMIT 7;
SELECT id, n, sum(n) OVER (PARTITION BY customer ORDER BY id), rank() OVER (ORDER BY n DESC, id) FROM orders WHERE id % 37 = 0;
WITH RECURSIVE tree(id, parent, path) AS (SELECT 1, 0, '1' UNION ALL SELECT tree.id * 2 + k, tree.id, path || '.' || (tree.id * 2 + k)
  FROM tree, (SELECT 0 AS k UNION SELECT 1) WHERE tree.id < 16) SELECT max(length(path)), count(*), max(path) FROM tree;
WITH RECURSIVE queens(n, row, board) AS (SELECT 5, 0, '' UNION ALL SELECT n, row + 1, board || c FROM queens,
  (SELECT '1' AS c UNION SELECT '2' UNION SELECT '3' UNION SELECT '4' UNION SELECT '5') WHERE row < n AND instr(board, c) = 0)
  SELECT count(*), min(board) FROM queens WHERE row = n;
CREATE VIEW spent AS SELECT customer, sum(n) AS n FROM orders GROUP BY customer;
SELECT avg(n), max(n) FROM spent WHERE customer BETWEEN 10 AND 20;
SELECT json_extract('{"a":[1,2,{"b":null}]}', '$.a[2]'), json_group_array(id) FROM item WHERE price < 20;
SELECT value, type FROM json_each('[true, 2.5, "x", {"y": [1]}]');
SAVEPOINT outer_one;
DELETE FROM orders WHERE id % 3 = 0;
SAVEPOINT inner_one;
UPDATE item SET price = price * 2 WHERE label GLOB 'item-01*' OR label LIKE '%2_';
ROLLBACK TO inner_one;
RELEASE outer_one;
SELECT count(*), total(which) FROM log GROUP BY what ORDER BY 1;
SELECT DISTINCT substr(upper(hex(label)), 1, 4), typeof(price), abs(-price), coalesce(NULL, label) FROM item ORDER BY price DESC LIMIT 3;
SELECT date('2020-02-29', '+1 year', 'weekday 1'), strftime('%j %W', '2021-12-31'), julianday('2000-01-01');
SELECT a.id FROM item a WHERE EXISTS (SELECT 1 FROM item b WHERE b.price > a.price * 20) UNION SELECT 99 EXCEPT SELECT 2 ORDER BY 1;
CREATE VIRTUAL TABLE IF NOT EXISTS place USING rtree(id, x0, x1, y0, y1);
INSERT INTO place SELECT id, id, id + 2, -id, -id + 1 FROM item;
SELECT count(*) FROM place WHERE x0 > 3 AND y1 < -10;
CREATE VIRTUAL TABLE page USING fts5(title, body);
INSERT INTO page SELECT label, label || ' costs ' || price || ' for customer ' || id FROM item;
SELECT title FROM page WHERE page MATCH 'customer AND 1*' ORDER BY rank, title LIMIT 4;
EXPLAIN QUERY PLAN SELECT * FROM orders WHERE customer = 3;
ANALYZE;
PRAGMA integrity_check;
INSERT INTO customer VALUES(1, 'twice', 'x', 0);
SELECT nothing FROM nowhere;
INSERT INTO item VALUES(200, 'unknown', abs(-9223372036854775808));
VACUUM;
.mode column
.headers on
SELECT * FROM spent ORDER BY n DESC, customer LIMIT 5;
.schema orders
.exit 3
