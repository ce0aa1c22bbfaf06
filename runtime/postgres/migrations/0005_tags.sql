-- Format 5: tags of runs. They never change.

ALTER TABLE @runs ADD COLUMN tags text;
COMMENT ON COLUMN @runs.tags IS 'its tags as JSON, {name: value, …}: NULL for none';

-- A version that does not know them prunes runs, too.
CREATE TABLE @tags (
  run   text COLLATE "C" NOT NULL REFERENCES @runs (run) ON DELETE CASCADE,
  name  text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  began timestamptz NOT NULL,
  PRIMARY KEY (run, name)
);
CREATE INDEX tags_by_value ON @tags (name, value, began, run);
COMMENT ON TABLE @tags IS 'the tags of runs, a row for each, to find runs by them';
COMMENT ON COLUMN @tags.began IS 'when the run was started: the order of lists';

CREATE OR REPLACE VIEW @runs_v AS SELECT
  run, machine, state, status, outcome, paused, seq, started, entered, updated, parent, root,
  snapshot::json -> 'params' AS params, snapshot::json -> 'data' AS data, definition, tags::json AS tags
FROM @runs;
