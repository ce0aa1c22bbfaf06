-- Format 3: to which worker a look has handed out a timer that is due, or a claim that has expired.
-- It counts where it is later than that, so that nothing has to be taken back when either changes.

ALTER TABLE @timers ADD COLUMN handed timestamptz, ADD COLUMN handed_to text COLLATE "C";
ALTER TABLE @tasks ADD COLUMN handed timestamptz, ADD COLUMN handed_to text COLLATE "C";
