-- Tags of runs, format 10.

ALTER TABLE runs ADD COLUMN tags TEXT CHECK (tags IS NULL OR json_valid(tags)); -- {name: value, …}; NULL for none

CREATE TABLE tags (
  -- The same, a row for each, to find runs by them. They never change.
  run   TEXT NOT NULL REFERENCES runs (run),
  name  TEXT NOT NULL,
  value TEXT NOT NULL,
  began INTEGER NOT NULL,                -- when the run was started: the order of lists
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX tags_by_value ON tags (name, value, began, run);

DROP VIEW runs_v;
CREATE VIEW runs_v AS SELECT
  run, machine, state, status, outcome, paused, seq,
  strftime('%Y-%m-%dT%H:%M:%S', started / 1000000, 'unixepoch') || printf('.%06dZ', started % 1000000) AS started,
  strftime('%Y-%m-%dT%H:%M:%S', entered / 1000000, 'unixepoch') || printf('.%06dZ', entered % 1000000) AS entered,
  strftime('%Y-%m-%dT%H:%M:%S', updated / 1000000, 'unixepoch') || printf('.%06dZ', updated % 1000000) AS updated,
  snapshot -> '$.params' AS params, snapshot -> '$.data' AS data, definition, tags
FROM runs;
