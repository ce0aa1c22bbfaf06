-- The tables of fsmc in PostgreSQL, format 1. An @ stands for the schema. Look at
-- COMMENTs with \d+, and at runs_v and history_v for JSON that can be asked.
--
-- Text is ordered by bytes, as in Go. JSON is text, because jsonb would change its
-- order, and replay compares it bit for bit. Columns named _ns are nanoseconds.
-- No index names a column that every step changes, so that a step's update stays on its page.

CREATE TABLE @definitions (
  hash       text COLLATE "C" NOT NULL PRIMARY KEY,
  machine    text COLLATE "C" NOT NULL,
  source     text NOT NULL,
  definition text NOT NULL
);
CREATE INDEX definitions_by_machine ON @definitions (machine);
COMMENT ON TABLE @definitions IS 'one row for every machine version that has run';

CREATE TABLE @runs (
  run        text COLLATE "C" NOT NULL PRIMARY KEY,
  machine    text COLLATE "C" NOT NULL,
  definition text COLLATE "C" NOT NULL,
  state      text COLLATE "C" NOT NULL,
  status     text COLLATE "C" NOT NULL,
  outcome    text COLLATE "C",
  paused     boolean NOT NULL,
  seq        bigint NOT NULL,
  started    timestamptz NOT NULL,
  entered    timestamptz NOT NULL,
  updated    timestamptz NOT NULL,
  ended      timestamptz,
  final      text COLLATE "C",
  parent     text COLLATE "C",
  root       text COLLATE "C",
  total      text,
  told       text,
  snapshot   text NOT NULL,
  CHECK ((ended IS NULL) = (final IS NULL))
) WITH (fillfactor = 60);
COMMENT ON TABLE @runs IS 'one row for each run, as it is after its last step';
COMMENT ON COLUMN @runs.ended IS 'when it ended, and final the state in which it did: NULL until then';
COMMENT ON COLUMN @runs.parent IS 'the run of which it is a child; root is the one at the top of its tree. NULL for none';
COMMENT ON COLUMN @runs.total IS 'of a child: what it has used, and told what its parent knows of that';

CREATE INDEX runs_by_start      ON @runs (started, run);
CREATE INDEX runs_by_machine    ON @runs (machine, started, run);
CREATE INDEX runs_by_definition ON @runs (definition, started, run);
CREATE INDEX runs_by_status     ON @runs (status, started, run);
CREATE INDEX runs_by_final      ON @runs (final, started, run) WHERE final IS NOT NULL;
CREATE INDEX runs_by_outcome    ON @runs (outcome, started, run) WHERE outcome IS NOT NULL;
CREATE INDEX runs_ended         ON @runs (outcome, ended, run) WHERE ended IS NOT NULL AND parent IS NULL;
CREATE INDEX runs_by_parent     ON @runs (parent, started, run) WHERE parent IS NOT NULL;
CREATE INDEX runs_by_root       ON @runs (root, started, run) WHERE root IS NOT NULL;
CREATE INDEX runs_untold        ON @runs (parent) WHERE parent IS NOT NULL AND total IS DISTINCT FROM told;

CREATE TABLE @history (
  run    text COLLATE "C" NOT NULL,
  seq    bigint NOT NULL,
  at     timestamptz NOT NULL,
  kind   text NOT NULL,
  input  text NOT NULL,
  source text NOT NULL,
  target text NOT NULL,
  effect text NOT NULL,
  token  bigint NOT NULL,
  record text NOT NULL,
  PRIMARY KEY (run, seq)
);
COMMENT ON TABLE @history IS 'what happened, one row for each step: without gaps, and it only grows';
COMMENT ON COLUMN @history.token IS 'random, the same for all rows of a commit: tells it from others whose reply was lost';

CREATE FUNCTION @history_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('fsmc.pruning', true) = 'on' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'history only grows: a record can be neither changed nor deleted';
END $$;
CREATE TRIGGER history_no_change BEFORE UPDATE OR DELETE ON @history
  FOR EACH ROW EXECUTE FUNCTION @history_only_grows();
CREATE TRIGGER history_no_truncate BEFORE TRUNCATE ON @history
  FOR EACH STATEMENT EXECUTE FUNCTION @history_only_grows();

CREATE TABLE @tasks (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run         text COLLATE "C" NOT NULL,
  "do"        text COLLATE "C" NOT NULL,
  seq         bigint NOT NULL,
  machine     text COLLATE "C" NOT NULL,
  definition  text COLLATE "C" NOT NULL,
  activity    text COLLATE "C" NOT NULL,
  key         text COLLATE "C" NOT NULL,
  attempt     bigint NOT NULL,
  visit       bigint NOT NULL,
  awake       boolean NOT NULL,
  queued      timestamptz NOT NULL,
  not_before  timestamptz,
  epoch       bigint NOT NULL DEFAULT 0,
  worker      text,
  claimed     timestamptz,
  lease_until timestamptz,
  beat        timestamptz,
  progress    timestamptz,
  lost        bigint NOT NULL DEFAULT 0,
  cancelled   boolean NOT NULL DEFAULT false,
  timeout_ns   bigint NOT NULL,
  heartbeat_ns bigint NOT NULL,
  progress_ns  bigint NOT NULL,
  child       text COLLATE "C",
  ended       boolean NOT NULL DEFAULT false,
  UNIQUE (run, "do", seq),
  CHECK (NOT cancelled OR worker IS NOT NULL OR (child IS NOT NULL AND NOT ended)),
  CHECK (NOT ended OR child IS NOT NULL),
  CHECK ((worker IS NULL) = (lease_until IS NULL))
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
COMMENT ON TABLE @tasks IS 'one row for each attempt that has not ended: waiting, held by a worker or a child, or cancelled and still held';
COMMENT ON COLUMN @tasks.awake IS 'false while the run is paused or halted';
COMMENT ON COLUMN @tasks.child IS 'the run that holds it, or held it until it ended';

CREATE UNIQUE INDEX tasks_open ON @tasks (run, "do") WHERE NOT cancelled;
CREATE INDEX tasks_at_once ON @tasks (definition, activity, queued, id)
  WHERE worker IS NULL AND awake AND not_before IS NULL;
CREATE INDEX tasks_later ON @tasks (definition, activity, not_before, id)
  WHERE worker IS NULL AND awake AND not_before IS NOT NULL;
CREATE INDEX tasks_wake ON @tasks (not_before)
  WHERE worker IS NULL AND awake AND not_before IS NOT NULL;
CREATE INDEX tasks_leases ON @tasks (lease_until) WHERE worker IS NOT NULL;
CREATE INDEX tasks_cancelled ON @tasks (run) WHERE cancelled;
CREATE UNIQUE INDEX tasks_child ON @tasks (child) WHERE child IS NOT NULL;

CREATE SEQUENCE @epochs CACHE 1;

CREATE TABLE @checkpoints (
  key  text COLLATE "C" NOT NULL PRIMARY KEY,
  run  text COLLATE "C" NOT NULL,
  at   timestamptz NOT NULL,
  data text NOT NULL
);
CREATE INDEX checkpoints_by_run ON @checkpoints (run);
COMMENT ON TABLE @checkpoints IS 'the last checkpoint of an execution, handed to its next attempt';

CREATE TABLE @timers (
  run   text COLLATE "C" NOT NULL,
  name  text COLLATE "C" NOT NULL,
  due   timestamptz NOT NULL,
  awake boolean NOT NULL,
  PRIMARY KEY (run, name)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE INDEX timers_due ON @timers (due, run, name) WHERE awake;

CREATE TABLE @outbox (
  id        text COLLATE "C" NOT NULL PRIMARY KEY,
  run       text COLLATE "C" NOT NULL,
  seq       bigint NOT NULL,
  n         bigint NOT NULL,
  machine   text NOT NULL,
  event     text NOT NULL,
  data      text,
  at        timestamptz NOT NULL,
  next      boolean NOT NULL,
  ready     timestamptz NOT NULL,
  attempt   bigint NOT NULL DEFAULT 0,
  worker    text,
  reason    text,
  delivered timestamptz
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE INDEX outbox_next ON @outbox (ready, run) WHERE next;
CREATE UNIQUE INDEX outbox_waiting ON @outbox (run, seq, n) WHERE delivered IS NULL;
CREATE INDEX outbox_by_run ON @outbox (run);
COMMENT ON COLUMN @outbox.next IS 'the next to be delivered of its run';

CREATE TABLE @inbox (
  run      text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  seq      bigint NOT NULL,
  token    bigint NOT NULL,
  answer   text,
  PRIMARY KEY (run, event_id)
);
COMMENT ON TABLE @inbox IS 'event ids that have been accepted, and what was answered';

CREATE TABLE @limits (
  machine  text COLLATE "C" NOT NULL,
  activity text COLLATE "C" NOT NULL,
  at_once  bigint NOT NULL,
  rate     bigint NOT NULL,
  span     bigint NOT NULL,
  PRIMARY KEY (machine, activity)
);
COMMENT ON COLUMN @limits.span IS 'of the rate, in microseconds';

CREATE TABLE @limited_claims (
  machine  text COLLATE "C" NOT NULL,
  activity text COLLATE "C" NOT NULL,
  n        bigint NOT NULL,
  at       timestamptz NOT NULL,
  PRIMARY KEY (machine, activity, n)
);
COMMENT ON TABLE @limited_claims IS 'the last claims of each activity that has a limit: as many as its rate, and one at least';

CREATE TABLE @counts (
  what    text COLLATE "C" NOT NULL,
  machine text COLLATE "C" NOT NULL,
  texts   text COLLATE "C" NOT NULL,
  number  bigint NOT NULL,
  amount  numeric NOT NULL,
  PRIMARY KEY (what, machine, texts, number)
);
COMMENT ON TABLE @counts IS 'how many runs stand so, steps were taken on a day, stays lasted so long, and what was used: kept by the steps themselves';

CREATE TABLE @count_log (
  id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  counts text NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
COMMENT ON TABLE @count_log IS 'what steps have changed about the counts, a row for each commit, until it is added up there';

CREATE TABLE @prunings (
  at      timestamptz NOT NULL,
  actor   text COLLATE "C" NOT NULL,
  reason  text COLLATE "C" NOT NULL,
  before  timestamptz NOT NULL,
  machine text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  runs    bigint NOT NULL,
  PRIMARY KEY (at, actor, reason, before, machine, outcome)
);
COMMENT ON TABLE @prunings IS 'who deleted ended runs, and why: a row for each command';

CREATE VIEW @runs_v AS SELECT
  run, machine, state, status, outcome, paused, seq, started, entered, updated, parent, root,
  snapshot::json -> 'params' AS params, snapshot::json -> 'data' AS data, definition
FROM @runs;

CREATE VIEW @history_v AS SELECT run, seq, at, input, source, target, effect, record::json AS record FROM @history;
