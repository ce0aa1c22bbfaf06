-- The history of a run as a chain of rows, format 6: each says where the one before
-- it stands, and each run where its last one is, in place of an index by run, of
-- which the steps of many runs change as many pages.

DROP VIEW history_v;
DROP TRIGGER history_no_gap;
DROP TRIGGER history_no_update;
DROP TRIGGER history_no_delete;
ALTER TABLE history RENAME TO history_with_index;
ALTER TABLE runs ADD COLUMN last /* row of history: its id */ INTEGER NOT NULL DEFAULT 0;

CREATE TABLE history (
  -- What happened, one row for each step. It only grows: see the triggers below.
  -- fsmc writes a run's rows without gaps, and finds them from the last one backwards.
  id     INTEGER NOT NULL PRIMARY KEY CHECK (id > 0), -- in the order in which they were written
  run    TEXT NOT NULL,
  seq    INTEGER NOT NULL,               -- 1, 2, 3 … of the run
  back   INTEGER NOT NULL CHECK (back >= 0 AND back < id), -- the run's row before it has the id id - back; 0 for the first
  at     INTEGER NOT NULL,
  kind   TEXT NOT NULL,                  -- of the input: start, event, result, failure, timer, done, …
  input  TEXT NOT NULL,                  -- as written in a trigger: failed(timeout)
  source TEXT NOT NULL,                  -- state before; empty at the start
  target TEXT NOT NULL,                  -- state after
  effect TEXT NOT NULL,                  -- moved, retried, stayed, ignored, …
  counts TEXT CHECK (counts IS NULL OR json_valid(counts)), -- what it, and the rows before it of its commit, change: [[name, by], …]
  record TEXT NOT NULL CHECK (json_valid(record)) -- all of it, canonical; last, because it may be large
) STRICT;

INSERT INTO history
SELECT id, run, seq,
  coalesce(id - (SELECT before.id FROM history_with_index AS before WHERE before.run = h.run AND before.seq = h.seq - 1), 0),
  at, kind, input, source, target, effect, counts, record
FROM history_with_index AS h ORDER BY id;

UPDATE runs SET last = coalesce((
  SELECT id FROM history_with_index AS h WHERE h.run = runs.run ORDER BY seq DESC LIMIT 1), 0);

DROP TABLE history_with_index;

-- Where to begin, to read a part of a long history.
CREATE UNIQUE INDEX history_marks ON history (run, seq) WHERE seq % 64 = 0;

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

CREATE TRIGGER runs_no_delete BEFORE DELETE ON runs
WHEN NOT EXISTS (SELECT 1 FROM pruning WHERE pruning.run = OLD.run)
  OR EXISTS (SELECT 1 FROM history WHERE id = OLD.last AND run = OLD.run)
BEGIN
  SELECT RAISE(ABORT, 'a run is deleted with its history, by a prune');
END;

CREATE TRIGGER runs_no_rename BEFORE UPDATE OF run ON runs
BEGIN
  SELECT RAISE(ABORT, 'a run keeps its id: its history has it');
END;

CREATE VIEW history_v AS SELECT
  run, seq,
  strftime('%Y-%m-%dT%H:%M:%S', at / 1000000, 'unixepoch') || printf('.%06dZ', at % 1000000) AS at,
  input, source, target, effect, record
FROM history;
