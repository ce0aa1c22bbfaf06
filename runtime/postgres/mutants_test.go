package postgres_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/internal/mutants"
)

// TestMutants takes the conditions on seq, epoch and token away. Two of them refuse nothing: a commit that is admitted has been
// held against the number of its run already, under the lock of the run; and the 64 random bits of a token are in history
// once, where the number leads to them by the index.
func TestMutants(t *testing.T) {
	mutants.Test(t, "TestStore|TestLost|TestCut|TestBatch|TestMany", 8,
		"batch_write.go r.seq = q.expect", "history.go seq = $2")
}

// TestMutantsOfBatch takes away what else a batch looks at that writes in the hope that nothing of it is refused, and what the
// parts of one statement know of each other.
func TestMutantsOfBatch(t *testing.T) {
	const pattern = "TestStore|TestLost|TestCut|TestBatch|TestMany|TestLanes|TestCommit|TestJoined"
	mutants.Each(t, "batch_quick.go", pattern,
		mutants.Change{From: "r.run = q.run AND r.seq = q.expect AND r.started = q.started", To: "r.run = q.run AND r.seq = q.expect"},
		mutants.Change{From: "AND (r.xmax = '0' :: xid OR r.xmax = pg_current_xact_id_if_assigned() :: xid)", To: ""},
		mutants.Change{From: "(q.definition = r.definition OR EXISTS (SELECT 1 FROM @definitions WHERE hash = q.definition OFFSET 0))\n\t\tAND", To: ""},
		mutants.Change{From: "WHERE i.run = q.run AND i.event_id = q.event_id OFFSET 0))\n\t\tAND (q.", To: "WHERE false))\n\t\tAND (q."},
		mutants.Change{From: "t.run = q.run AND t.do = q.do AND t.seq", To: "t.seq"},
		mutants.Change{From: "AND t.worker IS NOT NULL", To: ""},
		mutants.Change{From: " AND NOT t.cancelled OFFSET", To: " OFFSET"},
		mutants.Change{From: "WHERE EXISTS (SELECT 1 FROM @definitions WHERE hash = q.definition OFFSET 0)", To: "WHERE true"},
		mutants.Change{From: "WHERE run NOT IN (SELECT run FROM written)", To: "WHERE false"},
	)
	mutants.Each(t, "batch_join.go", pattern,
		mutants.Change{From: `admitted, " EXISTS (SELECT FROM written)"`, To: `admitted, " true"`},
		mutants.Change{From: "WHEN EXISTS (SELECT FROM written) THEN", To: "WHEN true THEN"},
		mutants.Change{From: `bytes.ContainsAny(key, "uU")`, To: "false"},
		mutants.Change{From: `"(SELECT rest FROM refused)") +`, To: `"'{}' :: bigint[]") +`},
	)
}

// TestMutantsOfArchive takes away the conditions of the functions that move runs to the archive and back, and of the
// statements that prune its months.
func TestMutantsOfArchive(t *testing.T) {
	const pattern = "TestArchive|TestOrdinaryOwner"
	mutants.Each(t, "migrations/0006_archive.sql", pattern,
		mutants.Change{From: "a.grantee <> c.relowner", To: "true"},
		mutants.Change{From: "attrelid = live AND", To: ""},
		mutants.Change{From: "IF NOT has_table_privilege(", To: "IF false AND NOT has_table_privilege("},
		mutants.Change{From: "s.name = 'archive' AND s.value = 'month'", To: "true"},
		mutants.Change{From: "OR NOT pg_try_advisory_xact_lock(1718840677, hashtext('@runs'))", To: ""},
		mutants.Change{From: " AND NOT @busy_tree(r.run)", To: ""},
		mutants.Change{From: "r.run = ANY (roots) OR r.root = ANY (roots) ORDER", To: "r.run = ANY (roots) ORDER"},
		mutants.Change{From: "FOR UPDATE SKIP LOCKED);\n    -- What", To: ");\n    -- What"},
		mutants.Change{From: "WHERE top.ended < before AND held", To: "WHERE held"},
		mutants.Change{From: "held.runs = (SELECT count(*) FROM @runs AS m WHERE m.run = top.run OR m.root = top.run)", To: "true"},
		mutants.Change{From: "\n          AND NOT @busy_tree(top.run) OFFSET 0", To: "\n          OFFSET 0"},
		mutants.Change{From: "ON r.run = top.run OR r.root = top.run\n", To: "ON r.run = top.run\n"},
		mutants.Change{From: "CONTINUE WHEN NOT FOUND;", To: ""},
		mutants.Change{From: "DELETE FROM @%1$s WHERE run = ANY ($1) RETURNING *)", To: "DELETE FROM @%1$s RETURNING *)"},
		mutants.Change{From: "(r.run = top OR r.root = top) AND (", To: "("},
		mutants.Change{From: "r.run = top OR r.root = top) AND (", To: "r.run = top) AND ("},
		mutants.Change{From: "r.status <> 'finished' OR ", To: ""},
		mutants.Change{From: "r.paused OR ", To: ""},
		mutants.Change{From: "OR r.parent IS NOT NULL AND r.total IS DISTINCT FROM r.told", To: ""},
		mutants.Change{From: "m.run = r.run AND m.delivered", To: "m.delivered"},
		mutants.Change{From: " AND m.delivered IS NULL", To: ""},
		mutants.Change{From: "FROM @tasks AS t WHERE t.run = r.run", To: "FROM @tasks AS t"},
		mutants.Change{From: "OR EXISTS (SELECT 1 FROM @tasks", To: "AND EXISTS (SELECT 1 FROM @tasks"},
		mutants.Change{From: "FROM @timers AS t WHERE t.run = r.run", To: "FROM @timers AS t"},
		mutants.Change{From: "a.run = wanted", To: "true"},
		mutants.Change{From: "(a.run = top OR a.root = top)", To: "a.run = top"},
		mutants.Change{From: "AND (a.run = top OR a.root = top)", To: ""},
		mutants.Change{From: "WHERE month = $2 AND run = ANY ($1) RETURNING", To: "WHERE month = $2 RETURNING"},
		mutants.Change{From: "AS a USING (run)", To: "AS a ON true"},
	)
	mutants.Each(t, "archive_months.go", pattern,
		mutants.Change{From: "WHERE name = 'archive'", To: "WHERE name <> 'archive'"},
		mutants.Change{From: " AND part.relkind = 'r' AND part.relname LIKE 'archived\\_%'", To: ""},
		mutants.Change{From: " AND right(part.relname, 7) = right(c.relname, 7)", To: ""},
		mutants.Change{From: "WHERE i.inhparent = '@archived_runs' :: regclass ORDER", To: "ORDER"},
		mutants.Change{From: "WHERE inhparent = '@archived_runs' :: regclass\n\t\tAND", To: "WHERE"},
		mutants.Change{From: "AND (to_date(right(relname, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC' <= $1", To: ""},
	)
}

// TestMutantsOfPrune takes away the conditions by which runs are pruned, live ones and those of the archive. Those that say the
// same a second time, under the locks or of children that have not ended, are left as they are.
func TestMutantsOfPrune(t *testing.T) {
	mutants.Each(t, "prune.go", "TestArchive|TestStore$/Prune|TestStoreArchives/Prune",
		mutants.Change{From: "m.run = r.run AND m.delivered IS NULL", To: "m.run = r.run"},
		mutants.Change{From: "WHERE m.run = r.run", To: "WHERE true"},
		mutants.Change{From: "WHERE t.run = r.run", To: "WHERE true"},
		mutants.Change{From: "t.lease_until > $1 OR ", To: "t.lease_until < $1 OR "},
		mutants.Change{From: "WHERE ended IS NOT NULL AND parent IS NULL AND", To: "WHERE ended IS NOT NULL AND"},
		mutants.Change{From: "outcome = ANY ($2) AND ended < $3", To: "$2 :: text[] IS NOT NULL AND ended < $3"},
		mutants.Change{From: "ended < $3 AND (", To: "$3 :: timestamptz IS NOT NULL AND ("},
		mutants.Change{From: "($4 = '' OR machine = $4)", To: "$4 :: text IS NOT NULL"},
		mutants.Change{From: "JOIN old ON child.root = old.run", To: "JOIN old ON true"},
		mutants.Change{From: "FROM @runs WHERE run = $1 OR root = $1 ORDER BY run FOR", To: "FROM @runs WHERE run = $1 ORDER BY run FOR"},
		mutants.Change{From: "status <> 'finished' OR ` + isBusy + `)\n", To: "status <> 'finished')\n"},
		mutants.Change{From: "WHERE run = $2 OR root = $2`", To: "WHERE run = $2`"},
		mutants.Change{From: "` AND NOT ` + isBusy + ` AND NOT EXISTS (", To: "` AND NOT EXISTS ("},
		mutants.Change{From: "child.root = r.run AND (child.status <> 'finished' OR ` + childBusy + `)", To: "child.root = r.run AND (child.status <> 'finished')"},
		mutants.Change{From: "whereOld + ` AND $1 :: timestamptz IS NOT NULL` + oldestFirst", To: "` FROM @runs AS r WHERE $1 :: timestamptz IS NOT NULL AND $2 :: text[] IS NOT NULL AND $3 :: timestamptz IS NOT NULL AND $4 :: text IS NOT NULL` + oldestFirst"},
		mutants.Change{From: "` WHERE run = ANY ($1)`, runs)", To: "` WHERE $1 :: text[] IS NOT NULL`, runs)"},
		mutants.Change{From: "from == archived", To: "from == live"},
	)
}
