-- Format 4: history in the order in which it was written, for those who read it as it grows.

CREATE SEQUENCE @feed CACHE 1;
ALTER TABLE @history ADD COLUMN id bigint;
ALTER TABLE @history ALTER COLUMN id SET DEFAULT nextval('@feed');
ALTER SEQUENCE @feed OWNED BY @history.id;
CREATE UNIQUE INDEX history_feed ON @history (id) WHERE id IS NOT NULL;
COMMENT ON COLUMN @history.id IS 'position in the feed, in the order of writing: NULL for what was there before format 4, or was moved here';

-- A transaction that takes an id may be committed later than one that takes the next. From before it
-- takes one until it ends it holds a lock that says which one was taken last: who reads
-- the feed reads no further than the least of these. A worker of an older version does it, too.
CREATE FUNCTION @feed_begins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(current_setting('fsmc.feeds', true), '') = '' THEN
    PERFORM pg_advisory_xact_lock_shared(hashtext('fsmc feed ' || TG_RELID),
      (coalesce(pg_sequence_last_value('@feed'), 0) & 4294967295) :: bit(32) :: int);
    PERFORM set_config('fsmc.feeds', 'on', true);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER history_feed BEFORE INSERT ON @history
  FOR EACH STATEMENT EXECUTE FUNCTION @feed_begins();

-- The last id that was taken, also for those who may not read the sequence.
CREATE FUNCTION @feed_taken() RETURNS bigint LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog AS $$
  SELECT coalesce(pg_sequence_last_value('@feed'), 0)
$$;
