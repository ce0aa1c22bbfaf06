-- A step that moves a run from one state to another writes no index, format 4:
-- runs that have ended are found by their state, others by their status, of
-- which there are as many as are under way.

DROP INDEX runs_by_state;
CREATE INDEX runs_by_state ON runs (state, started, run) WHERE status = 'finished';
