-- Some four tenths of a second of SQLite: inserts, an index, joins, grouping, sorting and strings.
CREATE TABLE reading(id INTEGER PRIMARY KEY, sensor INTEGER, value REAL, note TEXT);
CREATE TABLE sensor(id INTEGER PRIMARY KEY, name TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
  INSERT INTO sensor SELECT i, 'sensor ' || i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 260000)
  INSERT INTO reading SELECT i, 1 + i * 7919 % 200, i * 31 % 977 / 10.0, printf('note %05d', i * 17 % 40009) FROM n;
CREATE INDEX reading_sensor ON reading(sensor, value);
SELECT name, count(*), round(avg(value), 3), max(note) FROM reading JOIN sensor ON sensor.id = reading.sensor
  GROUP BY name ORDER BY 3 DESC LIMIT 5;
SELECT substr(note, 6, 2) AS part, count(*) FROM reading WHERE value BETWEEN 20 AND 60 GROUP BY part ORDER BY part LIMIT 5;
SELECT count(*) FROM reading a JOIN reading b ON b.sensor = a.sensor AND b.value > a.value + 95 WHERE a.id % 30 = 0;
UPDATE reading SET value = value * 1.01 WHERE sensor % 10 = 3;
SELECT sum(length(note)), total(value) FROM (SELECT note, value FROM reading ORDER BY note DESC);
DELETE FROM reading WHERE id % 5 = 0;
SELECT count(*), min(value), max(value) FROM reading;
