-- Format 7: the runs that are paused, which are few. An owner of many runs may have made it beforehand, CONCURRENTLY.

CREATE INDEX IF NOT EXISTS runs_paused ON @runs (started, run) WHERE paused;
