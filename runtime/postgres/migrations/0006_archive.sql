-- Format 6: ended runs in tables that are partitioned by the month in which they ended, where
-- the setting archive is month. Each has the columns of its live table, and the month of the
-- root. Who adds a column to a live table adds it to both, and makes the view again.

CREATE TABLE @settings (
  name  text COLLATE "C" NOT NULL PRIMARY KEY,
  value text NOT NULL
);
COMMENT ON TABLE @settings IS 'what holds for all processes: archive is month or off';

-- Who may write to tables that are made later may not write to these.
CREATE FUNCTION @only_owner_writes(made regclass) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  other name;
BEGIN
  FOR other IN
    SELECT DISTINCT r.rolname FROM pg_class AS c, aclexplode(c.relacl) AS a, pg_roles AS r
    WHERE c.oid = made AND r.oid = a.grantee AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON %s FROM %I', made, other);
  END LOOP;
END $$;

-- The tables that hold an ended run, in the order in which their rows may go.
CREATE FUNCTION @archived_tables() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT ARRAY['tags', 'inbox', 'outbox', 'checkpoints', 'history', 'runs']
$$;

CREATE FUNCTION @columns_of(live regclass) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
  WHERE attrelid = live AND attnum > 0 AND NOT attisdropped
$$;

DO $$
DECLARE
  name text;
BEGIN
  PERFORM @only_owner_writes('@settings');
  FOREACH name IN ARRAY @archived_tables() LOOP
    EXECUTE format('CREATE TABLE @archived_%1$s (LIKE @%1$s, month date NOT NULL) PARTITION BY LIST (month)', name);
    EXECUTE format('CREATE VIEW @all_%1$s AS SELECT %2$s FROM @%1$s UNION ALL SELECT %2$s FROM @archived_%1$s',
      name, @columns_of(('@' || name) :: regclass));
    PERFORM @only_owner_writes(('@archived_' || name) :: regclass);
  END LOOP;
END $$;
COMMENT ON TABLE @archived_runs IS 'runs that have ended, as in runs: see fsmc db archive';

CREATE INDEX ON @archived_runs (run);
CREATE INDEX ON @archived_runs (started, run);
CREATE INDEX ON @archived_runs (machine, started, run);
CREATE INDEX ON @archived_runs (definition, started, run);
CREATE INDEX ON @archived_runs (final, started, run);
CREATE INDEX ON @archived_runs (outcome, started, run);
CREATE INDEX ON @archived_runs (outcome, ended, run) WHERE parent IS NULL;
CREATE INDEX ON @archived_runs (parent, started, run) WHERE parent IS NOT NULL;
CREATE INDEX ON @archived_runs (root, started, run) WHERE root IS NOT NULL;
CREATE INDEX ON @archived_history (run, seq);
CREATE INDEX ON @archived_history (id) WHERE id IS NOT NULL;
CREATE INDEX ON @archived_inbox (run, event_id);
CREATE INDEX ON @archived_outbox (run);
CREATE INDEX ON @archived_checkpoints (run);
CREATE INDEX ON @archived_tags (run, name);
CREATE INDEX ON @archived_tags (name, value, began, run);

CREATE TRIGGER archived_history_no_change BEFORE UPDATE OR DELETE ON @archived_history
  FOR EACH ROW EXECUTE FUNCTION @history_only_grows();

CREATE OR REPLACE VIEW @runs_v AS SELECT
  run, machine, state, status, outcome, paused, seq, started, entered, updated, parent, root,
  snapshot::json -> 'params' AS params, snapshot::json -> 'data' AS data, definition, tags::json AS tags
FROM @all_runs;
CREATE OR REPLACE VIEW @history_v AS SELECT run, seq, at, input, source, target, effect, record::json AS record FROM @all_history;

-- The functions below move runs with the rights of the owner, for those who may start runs. None has fsmc.pruning in a
-- SET of its own: only a superuser may make a function with that.
CREATE FUNCTION @may_move() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT has_table_privilege(coalesce(nullif(current_setting('role'), 'none'), session_user), '@runs', 'INSERT') THEN
    RAISE insufficient_privilege USING MESSAGE = 'permission denied for the archive';
  END IF;
END $$;

-- The partitions of a month. They are made apart and then attached, for which no reader has to wait.
CREATE FUNCTION @archive_month(month date) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  name text;
  part text;
BEGIN
  FOREACH name IN ARRAY @archived_tables() LOOP
    part := '@archived_' || name || '_' || to_char(month, 'YYYY_MM');
    IF to_regclass(part) IS NULL THEN
      EXECUTE format('CREATE TABLE %s (LIKE @archived_%s)', part, name);
      PERFORM @only_owner_writes(part :: regclass);
      EXECUTE format('ALTER TABLE @archived_%s ATTACH PARTITION %s FOR VALUES IN (%L)', name, part, month);
    END IF;
  END LOOP;
END $$;

-- Moves at most so many trees of each outcome, and of one month, whose root ended before a time, where no one has to do with any run
-- of it: gives how many runs it has moved. One process does it at a time, and no one waits for that.
CREATE FUNCTION @archive_runs(before timestamptz, trees bigint) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
  of_outcome text;
  name       text;
  roots      text[];
  locked     text[];
  moved      text[];
  of_month   date;
  all_moved  bigint := 0;
BEGIN
  PERFORM @may_move();
  IF NOT EXISTS (SELECT 1 FROM @settings AS s WHERE s.name = 'archive' AND s.value = 'month')
    OR NOT pg_try_advisory_xact_lock(1718840677, hashtext('@runs')) THEN
    RETURN 0;
  END IF;
  FOREACH of_outcome IN ARRAY ARRAY['success', 'failure', 'cancelled'] LOOP
    roots := ARRAY(
      SELECT r.run FROM @runs AS r
      WHERE r.outcome = of_outcome AND r.ended < before AND r.parent IS NULL AND NOT @busy_tree(r.run)
      ORDER BY r.ended, r.run LIMIT trees);
    CONTINUE WHEN roots = '{}';
    locked := ARRAY(
      SELECT r.run FROM @runs AS r WHERE r.run = ANY (roots) OR r.root = ANY (roots) ORDER BY r.run FOR UPDATE SKIP LOCKED);
    -- What follows sees what stands under the locks.
    SELECT array_agg(r.run), top.month INTO moved, of_month
      FROM (SELECT top.run, date_trunc('month', top.ended AT TIME ZONE 'UTC') :: date AS month
        FROM (SELECT coalesce(r.root, r.run) AS run, count(*) AS runs
          FROM unnest(locked) AS l (run) JOIN @runs AS r ON r.run = l.run GROUP BY 1) AS held
        JOIN @runs AS top ON top.run = held.run
        WHERE top.ended < before AND held.runs = (SELECT count(*) FROM @runs AS m WHERE m.run = top.run OR m.root = top.run)
          AND NOT @busy_tree(top.run) OFFSET 0) AS top
      JOIN @runs AS r ON r.run = top.run OR r.root = top.run
      GROUP BY top.month ORDER BY top.month LIMIT 1;
    CONTINUE WHEN NOT FOUND;
    PERFORM @archive_month(of_month);
    PERFORM set_config('fsmc.pruning', 'on', true);
    FOREACH name IN ARRAY @archived_tables() LOOP
      EXECUTE format('WITH gone AS (DELETE FROM @%1$s WHERE run = ANY ($1) RETURNING *)
        INSERT INTO @archived_%1$s (%2$s, month) SELECT %2$s, $2 FROM gone',
        name, @columns_of(('@' || name) :: regclass)) USING moved, of_month;
    END LOOP;
    PERFORM set_config('fsmc.pruning', 'off', true);
    all_moved := all_moved + cardinality(moved);
  END LOOP;
  RETURN all_moved;
END $$;

-- Whether a run, or one below it, is under way, has something to tell, or someone may still have to do with it.
CREATE FUNCTION @busy_tree(top text) RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN EXISTS (
    SELECT 1 FROM @runs AS r WHERE (r.run = top OR r.root = top) AND (
      r.status <> 'finished' OR r.paused OR r.parent IS NOT NULL AND r.total IS DISTINCT FROM r.told
      OR EXISTS (SELECT 1 FROM @outbox AS m WHERE m.run = r.run AND m.delivered IS NULL)
      OR EXISTS (SELECT 1 FROM @tasks AS t WHERE t.run = r.run)
      OR EXISTS (SELECT 1 FROM @timers AS t WHERE t.run = r.run)));
END $$;

-- Moves the tree of a run back: gives how many runs it has moved.
CREATE FUNCTION @unarchive_run(wanted text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
  name   text;
  top    text;
  of_month date;
  moved  text[];
  places text[] := @archived_tables();
BEGIN
  PERFORM @may_move();
  SELECT coalesce(a.root, a.run), a.month INTO top, of_month FROM @archived_runs AS a WHERE a.run = wanted;
  moved := ARRAY(
    SELECT a.run FROM @archived_runs AS a WHERE a.month = of_month AND (a.run = top OR a.root = top) ORDER BY a.run FOR UPDATE);
  IF moved = '{}' THEN
    RETURN 0;
  END IF;
  PERFORM set_config('fsmc.pruning', 'on', true);
  FOR i IN REVERSE cardinality(places) .. 1 LOOP
    EXECUTE format('WITH gone AS (DELETE FROM @archived_%1$s WHERE month = $2 AND run = ANY ($1) RETURNING *)
      INSERT INTO @%1$s (%2$s) SELECT %2$s FROM gone', places[i], @columns_of(('@' || places[i]) :: regclass)) USING moved, of_month;
  END LOOP;
  PERFORM set_config('fsmc.pruning', 'off', true);
  RETURN cardinality(moved);
END $$;

-- A run that is made is none of the archive: also where it was moved there meanwhile. The trigger that calls
-- it is made when the setting is.
CREATE FUNCTION @refuse_archived() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM made JOIN @archived_runs AS a USING (run)) THEN
    RAISE EXCEPTION 'the run is in the archive' USING ERRCODE = 'FSM06';
  END IF;
  RETURN NULL;
END $$;
