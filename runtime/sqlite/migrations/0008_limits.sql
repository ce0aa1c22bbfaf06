-- Limits of activities over all runs, format 8.

CREATE TABLE limits (
  -- What the newest definition of each machine says of its activities; it holds for
  -- runs of all versions.
  machine  TEXT NOT NULL,
  activity TEXT NOT NULL,
  at_once  INTEGER NOT NULL,             -- so many are held by workers; 0 for any number
  rate     INTEGER NOT NULL,             -- so many are claimed in any span; 0 for any number
  span     INTEGER NOT NULL,             -- of the rate, in microseconds
  PRIMARY KEY (machine, activity)
) STRICT, WITHOUT ROWID;

CREATE TABLE limited_claims (
  -- The last claims of each activity that has a limit: as many as its rate, and one at
  -- least.
  machine  TEXT NOT NULL,
  activity TEXT NOT NULL,
  n        INTEGER NOT NULL,             -- 1, 2, 3 …
  at       INTEGER NOT NULL,             -- rises with n
  PRIMARY KEY (machine, activity, n)
) STRICT, WITHOUT ROWID;

CREATE INDEX definitions_by_machine ON definitions (machine);
