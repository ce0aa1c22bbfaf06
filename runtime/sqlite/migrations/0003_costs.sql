-- What attempts have used, format 3: a sum that each step keeps in its own
-- transaction, as the other counts.

CREATE TABLE cost_counts (
  -- How much of something attempts have used on a day, those of pruned runs
  -- among them.
  machine TEXT NOT NULL,
  day     INTEGER NOT NULL,              -- since 1970, in UTC
  name    TEXT NOT NULL,                 -- "tokens"
  part    INTEGER NOT NULL,              -- 0 for the sum; others are single attempts from before format 3
  amount  TEXT NOT NULL,                 -- an exact decimal, which SQL cannot add
  PRIMARY KEY (machine, day, name, part)
) STRICT, WITHOUT ROWID;

INSERT INTO cost_counts
SELECT machine, at / 86400000000, cost.value ->> 'name',
  row_number() OVER (PARTITION BY machine, at / 86400000000, cost.value ->> 'name'), cost.value ->> 'amount'
FROM history JOIN runs USING (run), json_each(record, '$.input.cost') AS cost
WHERE record LIKE '%"cost":%';
