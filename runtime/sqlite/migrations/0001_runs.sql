-- The tables of fsmc, format 1. Comments stand inside the statements, so that
-- `.schema` in the sqlite3 shell shows them. Look at runs_v, history_v, tasks_v,
-- timers_v and outbox_v for times that people can read.
--
-- Times are microseconds since
-- 1970 in UTC, NULL where there is none. Columns named _ns are nanoseconds.

CREATE TABLE definitions (
  -- One row for every machine version that has run.
  hash       TEXT NOT NULL PRIMARY KEY,  -- of the compiled definition
  machine    TEXT NOT NULL,              -- its name
  source     TEXT NOT NULL,              -- the text it was compiled from; may be empty
  definition TEXT NOT NULL CHECK (json_valid(definition))
) STRICT;

CREATE TABLE runs (
  -- One row for each run, as it is after its last step.
  run        TEXT NOT NULL PRIMARY KEY,
  machine    TEXT NOT NULL,
  definition TEXT NOT NULL REFERENCES definitions (hash),
  state      TEXT NOT NULL,              -- path of the leaf, or the terminal
  status     TEXT NOT NULL,              -- running, halted, finished
  outcome    TEXT,                       -- success, failure, cancelled; NULL until it is finished
  paused     INTEGER NOT NULL CHECK (paused IN (0, 1)),
  seq        INTEGER NOT NULL,           -- of the last record in history
  started    INTEGER NOT NULL,
  entered    INTEGER NOT NULL,           -- when the state was entered
  updated    INTEGER NOT NULL,           -- time of the last step
  snapshot   TEXT NOT NULL CHECK (json_valid(snapshot)) -- all that is known of the run, canonical
) STRICT;

CREATE INDEX runs_by_start      ON runs (started, run);
CREATE INDEX runs_by_machine    ON runs (machine, started, run);
CREATE INDEX runs_by_definition ON runs (definition, started, run);
CREATE INDEX runs_by_state      ON runs (state, started, run);
CREATE INDEX runs_by_status     ON runs (status, started, run);
CREATE INDEX runs_by_outcome    ON runs (outcome, started, run) WHERE outcome IS NOT NULL;

CREATE TABLE history (
  -- What happened, one row for each step. It has no gaps and only grows: see
  -- the triggers below.
  run    TEXT NOT NULL REFERENCES runs (run),
  seq    INTEGER NOT NULL,               -- 1, 2, 3 …
  at     INTEGER NOT NULL,
  kind   TEXT NOT NULL,                  -- of the input: start, event, result, failure, timer, done, …
  input  TEXT NOT NULL,                  -- as written in a trigger: failed(timeout)
  source TEXT NOT NULL,                  -- state before; empty at the start
  target TEXT NOT NULL,                  -- state after
  effect TEXT NOT NULL,                  -- moved, retried, stayed, ignored, …
  record TEXT NOT NULL CHECK (json_valid(record)), -- all of it, canonical
  PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE pruning (
  -- The one way to delete history: in one transaction, name a finished run
  -- here, delete its rows everywhere, and take it off again. It is empty
  -- outside such a transaction.
  run TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TRIGGER history_no_gap BEFORE INSERT ON history
WHEN NEW.seq <> 1 + coalesce((SELECT max(seq) FROM history WHERE run = NEW.run), 0)
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

CREATE TABLE tasks (
  -- One row for each attempt of an activity that has not ended: waiting, held
  -- by a worker, or cancelled and still held.
  id          INTEGER NOT NULL PRIMARY KEY, -- in the order in which they were started
  run         TEXT NOT NULL REFERENCES runs (run),
  do          TEXT NOT NULL,             -- name of the do
  seq         INTEGER NOT NULL,          -- of the step that started it
  machine     TEXT NOT NULL,
  definition  TEXT NOT NULL,
  activity    TEXT NOT NULL,
  key         TEXT NOT NULL,             -- idempotency key of the execution
  attempt     INTEGER NOT NULL,
  visit       INTEGER NOT NULL,
  awake       INTEGER NOT NULL CHECK (awake IN (0, 1)), -- 0 while the run is paused or halted
  queued      INTEGER NOT NULL,          -- when it was started, released or reclaimed
  not_before  INTEGER,                   -- NULL for at once
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
  UNIQUE (run, do, seq),
  CHECK (cancelled = 0 OR worker IS NOT NULL),
  CHECK ((worker IS NULL) = (lease_until IS NULL))
) STRICT;

CREATE UNIQUE INDEX tasks_open ON tasks (run, do) WHERE cancelled = 0;
CREATE INDEX tasks_at_once ON tasks (definition, activity, queued)
  WHERE worker IS NULL AND awake = 1 AND not_before IS NULL;
CREATE INDEX tasks_later ON tasks (definition, activity, not_before)
  WHERE worker IS NULL AND awake = 1 AND not_before IS NOT NULL;
CREATE INDEX tasks_wake ON tasks (not_before)
  WHERE worker IS NULL AND awake = 1 AND not_before IS NOT NULL;
CREATE INDEX tasks_leases ON tasks (lease_until) WHERE worker IS NOT NULL;

CREATE TABLE epochs (
  -- The fencing token that was given last, to any task. It never falls.
  id    INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  epoch INTEGER NOT NULL
) STRICT;

INSERT INTO epochs (id, epoch) VALUES (1, 0);

CREATE TRIGGER epochs_only_rise BEFORE UPDATE ON epochs WHEN NEW.epoch < OLD.epoch
BEGIN
  SELECT RAISE(ABORT, 'a fencing token never falls');
END;

CREATE TABLE checkpoints (
  -- The last checkpoint of an execution, handed to its next attempt.
  key  TEXT NOT NULL PRIMARY KEY,        -- idempotency key of the execution
  run  TEXT NOT NULL REFERENCES runs (run),
  at   INTEGER NOT NULL,
  data TEXT NOT NULL CHECK (json_valid(data))
) STRICT;

CREATE INDEX checkpoints_by_run ON checkpoints (run);

CREATE TABLE timers (
  -- The timers that are running.
  run   TEXT NOT NULL REFERENCES runs (run),
  name  TEXT NOT NULL,
  due   INTEGER NOT NULL,
  awake INTEGER NOT NULL CHECK (awake IN (0, 1)), -- 0 while the run is paused or halted
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX timers_due ON timers (due, run, name) WHERE awake = 1;

CREATE TABLE outbox (
  -- Messages published by steps.
  id        TEXT NOT NULL PRIMARY KEY,   -- the same for the same message whatever happens
  run       TEXT NOT NULL REFERENCES runs (run),
  seq       INTEGER NOT NULL,            -- of the step
  n         INTEGER NOT NULL,            -- within the step
  machine   TEXT NOT NULL,
  event     TEXT NOT NULL,
  data      TEXT CHECK (json_valid(data)),
  at        INTEGER NOT NULL,
  next      INTEGER NOT NULL CHECK (next IN (0, 1)), -- 1: the next to be delivered of its run
  ready     INTEGER NOT NULL,            -- when it can be taken: at once, after a wait, or when its lease has run out
  attempt   INTEGER NOT NULL DEFAULT 0,  -- how often it has been taken
  worker    TEXT,                        -- who took it last
  reason    TEXT,                        -- why the last attempt that came back failed
  delivered INTEGER                      -- when; NULL until then
) STRICT;

CREATE INDEX outbox_next ON outbox (ready, run) WHERE next = 1;
CREATE UNIQUE INDEX outbox_waiting ON outbox (run, seq, n) WHERE delivered IS NULL;

CREATE TABLE inbox (
  -- Event ids that have been accepted, and what was answered.
  run      TEXT NOT NULL REFERENCES runs (run),
  event_id TEXT NOT NULL,
  seq      INTEGER NOT NULL,             -- of the run, after the event
  answer   TEXT CHECK (json_valid(answer)),
  PRIMARY KEY (run, event_id)
) STRICT, WITHOUT ROWID;

CREATE VIEW runs_v AS SELECT
  run, machine, state, status, outcome, paused, seq,
  strftime('%Y-%m-%dT%H:%M:%S', started / 1000000, 'unixepoch') || printf('.%06dZ', started % 1000000) AS started,
  strftime('%Y-%m-%dT%H:%M:%S', entered / 1000000, 'unixepoch') || printf('.%06dZ', entered % 1000000) AS entered,
  strftime('%Y-%m-%dT%H:%M:%S', updated / 1000000, 'unixepoch') || printf('.%06dZ', updated % 1000000) AS updated,
  snapshot -> '$.params' AS params, snapshot -> '$.data' AS data, definition
FROM runs;

CREATE VIEW history_v AS SELECT
  run, seq,
  strftime('%Y-%m-%dT%H:%M:%S', at / 1000000, 'unixepoch') || printf('.%06dZ', at % 1000000) AS at,
  input, source, target, effect, record
FROM history;

CREATE VIEW tasks_v AS SELECT
  run, do, activity, attempt, worker, epoch, lost, cancelled,
  strftime('%Y-%m-%dT%H:%M:%S', not_before / 1000000, 'unixepoch') || printf('.%06dZ', not_before % 1000000) AS not_before,
  strftime('%Y-%m-%dT%H:%M:%S', claimed / 1000000, 'unixepoch') || printf('.%06dZ', claimed % 1000000) AS claimed,
  strftime('%Y-%m-%dT%H:%M:%S', lease_until / 1000000, 'unixepoch') || printf('.%06dZ', lease_until % 1000000) AS lease_until,
  strftime('%Y-%m-%dT%H:%M:%S', progress / 1000000, 'unixepoch') || printf('.%06dZ', progress % 1000000) AS progress,
  key
FROM tasks;

CREATE VIEW timers_v AS SELECT
  run, name,
  strftime('%Y-%m-%dT%H:%M:%S', due / 1000000, 'unixepoch') || printf('.%06dZ', due % 1000000) AS due, awake
FROM timers;

CREATE VIEW outbox_v AS SELECT
  id, run, event, data, attempt, reason,
  strftime('%Y-%m-%dT%H:%M:%S', at / 1000000, 'unixepoch') || printf('.%06dZ', at % 1000000) AS at,
  strftime('%Y-%m-%dT%H:%M:%S', delivered / 1000000, 'unixepoch') || printf('.%06dZ', delivered % 1000000) AS delivered
FROM outbox;
