-- Which write-ahead log belongs to the database, format 7.

CREATE TABLE log_name (
  -- The name of the log that belongs to the database; each log brings the next one.
  -- A log that is left beside the file of a database in another state, such as a
  -- backup that was put there, does not begin with the name that the file has.
  one    INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  before TEXT NOT NULL CHECK (length(before) = 16),
  now    TEXT NOT NULL CHECK (length(now) = 16)
) STRICT;

INSERT INTO log_name VALUES (1, lower(hex(randomblob(8))), lower(hex(randomblob(8))));
