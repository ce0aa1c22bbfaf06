-- What operators ask for, format 2: counts that each step keeps in its own
-- transaction, so that they cost the same to read however many runs there are,
-- and what pruning needs.

CREATE TABLE run_counts (
  -- How many runs there are that stand so.
  machine TEXT NOT NULL,
  state   TEXT NOT NULL,
  status  TEXT NOT NULL,
  outcome TEXT NOT NULL,                 -- empty until it is finished
  paused  INTEGER NOT NULL CHECK (paused IN (0, 1)),
  runs    INTEGER NOT NULL,              -- may be 0, where there were some
  PRIMARY KEY (machine, state, status, outcome, paused)
) STRICT, WITHOUT ROWID;

CREATE TABLE step_counts (
  -- How many steps were taken on a day, those of pruned runs among them.
  machine TEXT NOT NULL,
  day     INTEGER NOT NULL,              -- since 1970, in UTC
  kind    TEXT NOT NULL,                 -- of the input
  input   TEXT NOT NULL,
  source  TEXT NOT NULL,                 -- state before; empty at the start
  target  TEXT NOT NULL,
  effect  TEXT NOT NULL,
  steps   INTEGER NOT NULL,
  PRIMARY KEY (machine, day, kind, input, source, target, effect)
) STRICT, WITHOUT ROWID;

CREATE TABLE stay_counts (
  -- How many visits of a state lasted about so long, those of pruned runs among
  -- them. Bucket b stands for b microseconds below 64, and above for those that
  -- are 32 + b % 32 after b / 32 - 1 bits have been shifted out.
  machine TEXT NOT NULL,
  state   TEXT NOT NULL,
  bucket  INTEGER NOT NULL,
  visits  INTEGER NOT NULL,
  PRIMARY KEY (machine, state, bucket)
) STRICT, WITHOUT ROWID;

CREATE TABLE count_log (
  -- What batches of steps have changed about the counts above, a row for each,
  -- until it is added up there.
  id     INTEGER NOT NULL PRIMARY KEY,   -- from 1 again when the log has been emptied
  counts TEXT NOT NULL CHECK (json_valid(counts))
) STRICT;

INSERT INTO run_counts
SELECT machine, state, status, coalesce(outcome, ''), paused, count(*) FROM runs GROUP BY 1, 2, 3, 4, 5;

INSERT INTO step_counts
SELECT machine, at / 86400000000, kind, input, source, target, effect, count(*)
FROM history JOIN runs USING (run) GROUP BY 1, 2, 3, 4, 5, 6, 7;

INSERT INTO stay_counts
WITH RECURSIVE
  shifts (n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM shifts WHERE n < 58),
  steps AS (
    SELECT machine, source, at, source <> '' AND (effect IN ('moved', 'cancelled') OR source <> target) AS leaves,
      max(CASE WHEN effect = 'moved' OR source <> target THEN at END) OVER before AS entered
    FROM history JOIN runs USING (run)
    WINDOW before AS (PARTITION BY run ORDER BY history.seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)),
  stays AS (
    SELECT machine, source, at - entered AS held, (SELECT min(n) FROM shifts WHERE (at - entered) >> n < 64) AS shift
    FROM steps WHERE leaves AND entered IS NOT NULL)
SELECT machine, source, shift * 32 + (held >> shift), count(*) FROM stays GROUP BY 1, 2, 3;

CREATE TABLE prunings (
  -- Who deleted finished runs, and why: a row for each command.
  at      INTEGER NOT NULL,              -- when it began
  actor   TEXT NOT NULL,
  reason  TEXT NOT NULL,
  before  INTEGER NOT NULL,              -- runs that ended before that time
  machine TEXT NOT NULL,                 -- empty for all
  outcome TEXT NOT NULL,                 -- empty for all
  runs    INTEGER NOT NULL,
  PRIMARY KEY (at, actor, reason, before, machine, outcome)
) STRICT, WITHOUT ROWID;

CREATE INDEX runs_finished ON runs (outcome, updated, run) WHERE status = 'finished';
CREATE INDEX outbox_by_run ON outbox (run);
