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
  record TEXT NOT NULL CHECK (json_valid(record)), -- all of it, canonical
  UNIQUE (run, seq)
) STRICT;

INSERT INTO history (run, seq, at, kind, input, source, target, effect, record)
SELECT run, seq, at, kind, input, source, target, effect, record FROM history_by_run ORDER BY run, seq;

DROP TABLE history_by_run;

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
