-- History in the order in which it happened, format 5: the steps of many runs
-- that are taken at one time stand on one page, where each run had one of its
-- own, and a page is full when the next is begun.

DROP VIEW history_v;
DROP TRIGGER history_no_gap;
DROP TRIGGER history_no_update;
DROP TRIGGER history_no_delete;
ALTER TABLE history RENAME TO history_by_run;

CREATE TABLE history (
  -- What happened, one row for each step. It has no gaps and only grows: see
  -- the triggers below.
  id     INTEGER NOT NULL PRIMARY KEY CHECK (id > 0), -- in the order in which they were written
  run    TEXT NOT NULL REFERENCES runs (run),
  seq    INTEGER NOT NULL,               -- 1, 2, 3 … of the run
  at     INTEGER NOT NULL,
  kind   TEXT NOT NULL,                  -- of the input: start, event, result, failure, timer, done, …
  input  TEXT NOT NULL,                  -- as written in a trigger: failed(timeout)
  source TEXT NOT NULL,                  -- state before; empty at the start
  target TEXT NOT NULL,                  -- state after
  effect TEXT NOT NULL,                  -- moved, retried, stayed, ignored, …
  counts TEXT CHECK (counts IS NULL OR json_valid(counts)), -- what it, and the rows before it of its commit, change: [[name, by], …]
  record TEXT NOT NULL CHECK (json_valid(record)), -- all of it, canonical; last, because it may be large
  UNIQUE (run, seq)
) STRICT;

INSERT INTO history (run, seq, at, kind, input, source, target, effect, record)
SELECT run, seq, at, kind, input, source, target, effect, record FROM history_by_run ORDER BY run, seq;

DROP TABLE history_by_run;

CREATE TABLE count_names (
  -- What the counts in history are of: the table, and its columns.
  id   INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (json_valid(name))
) STRICT;

CREATE TABLE counted (
  -- The last row of history whose counts have been added to run_counts,
  -- step_counts and stay_counts.
  one     INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  history INTEGER NOT NULL               -- 0 for none
) STRICT;

INSERT INTO counted SELECT 1, coalesce(max(id), 0) FROM history;

INSERT INTO run_counts
SELECT c.value ->> 'm', c.value ->> '$.x[0]', c.value ->> '$.x[1]', c.value ->> '$.x[2]', c.value ->> 'k', sum(c.value ->> 'n')
FROM count_log, json_each(counts) AS c WHERE c.value ->> 't' = 'run_counts' GROUP BY 1, 2, 3, 4, 5
ON CONFLICT DO UPDATE SET runs = runs + excluded.runs;

INSERT INTO step_counts (machine, kind, input, source, target, effect, day, steps)
SELECT c.value ->> 'm', c.value ->> '$.x[0]', c.value ->> '$.x[1]', c.value ->> '$.x[2]', c.value ->> '$.x[3]',
  c.value ->> '$.x[4]', c.value ->> 'k', sum(c.value ->> 'n')
FROM count_log, json_each(counts) AS c WHERE c.value ->> 't' = 'step_counts' GROUP BY 1, 2, 3, 4, 5, 6, 7
ON CONFLICT DO UPDATE SET steps = steps + excluded.steps;

INSERT INTO stay_counts
SELECT c.value ->> 'm', c.value ->> '$.x[0]', c.value ->> 'k', sum(c.value ->> 'n')
FROM count_log, json_each(counts) AS c WHERE c.value ->> 't' = 'stay_counts' GROUP BY 1, 2, 3
ON CONFLICT DO UPDATE SET visits = visits + excluded.visits;

DROP TABLE count_log;

CREATE TRIGGER history_no_gap BEFORE INSERT ON history
WHEN NEW.seq <> 1 + coalesce((SELECT max(seq) FROM history WHERE run = NEW.run), 0)
  OR EXISTS (SELECT 1 FROM history WHERE id = NEW.id) -- INSERT OR REPLACE
BEGIN
  SELECT RAISE(ABORT, 'history only grows: the record is not the next one of its run');
END;

CREATE TRIGGER history_no_update BEFORE UPDATE ON history
BEGIN
  SELECT RAISE(ABORT, 'history only grows: a record cannot be changed');
END;

CREATE TRIGGER history_no_delete BEFORE DELETE ON history
WHEN NOT EXISTS (SELECT 1 FROM pruning JOIN runs USING (run)
                 WHERE pruning.run = OLD.run AND runs.status = 'finished')
BEGIN
  SELECT RAISE(ABORT, 'history only grows: a record cannot be deleted');
END;

CREATE VIEW history_v AS SELECT
  run, seq,
  strftime('%Y-%m-%dT%H:%M:%S', at / 1000000, 'unixepoch') || printf('.%06dZ', at % 1000000) AS at,
  input, source, target, effect, record
FROM history;
