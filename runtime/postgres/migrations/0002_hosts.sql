-- Format 2: which processes have the database open, and which formats older ones cannot work with.

ALTER TABLE @meta ADD COLUMN contract boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN @meta.contract IS 'a version that does not know this format cannot work with the database';

CREATE TABLE @hosts (
  id      text COLLATE "C" NOT NULL PRIMARY KEY,
  host    text NOT NULL,
  pid     bigint NOT NULL,
  version text NOT NULL,
  format  bigint NOT NULL,
  began   timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen    timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE @hosts IS 'one row for each process that can write, seen every 30 s; format is the newest one that it knows';
