-- Runs that are children of others, format 9.

ALTER TABLE runs ADD COLUMN parent TEXT; -- the run of which it is a child; NULL for none
ALTER TABLE runs ADD COLUMN root TEXT;   -- of a child: the run at the top of its tree
ALTER TABLE runs ADD COLUMN total TEXT;  -- of a child: what it has used, as JSON; NULL for nothing
ALTER TABLE runs ADD COLUMN told TEXT;   -- what its parent knows of that

CREATE INDEX runs_by_parent ON runs (parent, started, run) WHERE parent IS NOT NULL;
CREATE INDEX runs_by_root   ON runs (root, started, run) WHERE root IS NOT NULL;
CREATE INDEX runs_untold    ON runs (parent) WHERE parent IS NOT NULL AND total IS NOT told;

-- Children are pruned with their root.
DROP INDEX runs_finished;
CREATE INDEX runs_finished ON runs (outcome, updated, run) WHERE status = 'finished' AND parent IS NULL;

DROP VIEW tasks_v;
ALTER TABLE tasks RENAME TO tasks_without_children;

CREATE TABLE tasks (
  -- One row for each attempt of an activity that has not ended: waiting, held
  -- by a worker or by the child that it has started, or cancelled and still held.
  id          INTEGER NOT NULL PRIMARY KEY, -- in the order in which they were started
  run         TEXT NOT NULL REFERENCES runs (run),
  do          TEXT NOT NULL,             -- name of the do
  seq         INTEGER NOT NULL,          -- of the step that started it
  machine     TEXT NOT NULL,
  definition  TEXT NOT NULL,
  activity    TEXT NOT NULL,             -- or the machine that is called
  key         TEXT NOT NULL,             -- idempotency key of the execution
  attempt     INTEGER NOT NULL,
  visit       INTEGER NOT NULL,
  awake       INTEGER NOT NULL CHECK (awake IN (0, 1)), -- 0 while the run is paused or halted
  queued      INTEGER NOT NULL,          -- when it was started, released or reclaimed
  not_before  INTEGER,                   -- NULL for at once; of a task that a child holds, when it has run too long
  epoch       INTEGER NOT NULL DEFAULT 0, -- fencing token of the last claim
  worker      TEXT,                      -- who holds it; NULL for no one
  claimed     INTEGER,
  lease_until INTEGER,
  beat        INTEGER,                   -- last sign of life, or the claim
  progress    INTEGER,                   -- last checkpoint, or the claim
  lost        INTEGER NOT NULL DEFAULT 0, -- how often a holder was lost
  cancelled   INTEGER NOT NULL DEFAULT 0 CHECK (cancelled IN (0, 1)),
  timeout_ns   INTEGER NOT NULL,         -- 0 where not set
  heartbeat_ns INTEGER NOT NULL,
  progress_ns  INTEGER NOT NULL,
  child       TEXT,                      -- the run that holds it, or held it until it ended; NULL where none has started
  ended       INTEGER NOT NULL DEFAULT 0 CHECK (ended IN (0, 1)), -- 1: the child is finished
  UNIQUE (run, do, seq),
  CHECK (cancelled = 0 OR worker IS NOT NULL OR (child IS NOT NULL AND ended = 0)),
  CHECK (ended = 0 OR child IS NOT NULL),
  CHECK ((worker IS NULL) = (lease_until IS NULL))
) STRICT;

INSERT INTO tasks
SELECT id, run, do, seq, machine, definition, activity, key, attempt, visit, awake, queued, not_before, epoch, worker,
  claimed, lease_until, beat, progress, lost, cancelled, timeout_ns, heartbeat_ns, progress_ns, NULL, 0
FROM tasks_without_children;

DROP TABLE tasks_without_children;

CREATE UNIQUE INDEX tasks_open ON tasks (run, do) WHERE cancelled = 0;
CREATE INDEX tasks_at_once ON tasks (definition, activity, queued)
  WHERE worker IS NULL AND awake = 1 AND not_before IS NULL;
CREATE INDEX tasks_later ON tasks (definition, activity, not_before)
  WHERE worker IS NULL AND awake = 1 AND not_before IS NOT NULL;
CREATE INDEX tasks_wake ON tasks (not_before)
  WHERE worker IS NULL AND awake = 1 AND not_before IS NOT NULL;
CREATE INDEX tasks_leases ON tasks (lease_until) WHERE worker IS NOT NULL;
CREATE INDEX tasks_cancelled ON tasks (run) WHERE cancelled = 1;
CREATE UNIQUE INDEX tasks_child ON tasks (child) WHERE child IS NOT NULL;

CREATE VIEW tasks_v AS SELECT
  run, do, activity, attempt, worker, child, ended, epoch, lost, cancelled,
  strftime('%Y-%m-%dT%H:%M:%S', not_before / 1000000, 'unixepoch') || printf('.%06dZ', not_before % 1000000) AS not_before,
  strftime('%Y-%m-%dT%H:%M:%S', claimed / 1000000, 'unixepoch') || printf('.%06dZ', claimed % 1000000) AS claimed,
  strftime('%Y-%m-%dT%H:%M:%S', lease_until / 1000000, 'unixepoch') || printf('.%06dZ', lease_until % 1000000) AS lease_until,
  strftime('%Y-%m-%dT%H:%M:%S', progress / 1000000, 'unixepoch') || printf('.%06dZ', progress % 1000000) AS progress,
  key
FROM tasks;
