//go:build cgo

package sqlite

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestPlansWithStatistics: who has statistics made (ANALYZE) does not have history
// scanned, and the next who writes drops them.
func TestPlansWithStatistics(t *testing.T) {
	path := longHistories(t)
	raw(t, path, "ANALYZE")
	for _, rows := range []int{2, 5, 20, 3 * longRun, 1_000_000} {
		raw(t, path, fmt.Sprintf("UPDATE sqlite_stat1 SET stat = '%d 2 1' WHERE tbl = 'history'", rows))
		s := openAt(t, path, ReadOnly())
		for _, text := range []string{selectHistory, selectChain} {
			for _, step := range plan(t, s, text) {
				if strings.HasPrefix(step, "SCAN") && step != "SCAN chain" {
					t.Errorf("with %d rows: %s", rows, step)
				}
			}
		}
		must(t, s.Close())
	}
	s := openAt(t, path)
	if n := query[int](t, s, `SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'`); n != 0 {
		t.Error("the statistics are still there")
	}
}

// TestPlans: no query that an engine repeats reads a whole table, or sorts more
// than the few rows of one run.
func TestPlans(t *testing.T) {
	s := openAt(t, made(t))
	queries := map[string]string{
		"due": selectDue, "next timer": nextTimer, "next task": nextTask, "next lease": nextLease,
		"outbox": selectOutbox, "outbox of run": selectOutboxOf, "ready messages": selectReady, "ready messages of run": selectReadyOf, "next message ready": nextMessage,
		"take message": takeMessage, "give back": markUndelivered, "message": selectMessage, "next message": markNext, "publish": insertMessage,
		"history": selectHistory, "run": selectRun, "answer": selectAnswer, "standing": selectStanding,
		"claim at once": selectAtOnce, "claim later": selectLater, "claim of run": selectOfRun,
		"stopped": deleteStopped, "claim": claimTask, "task": selectTask, "tasks": selectRunTasks, "task of child": selectTaskOf,
		"expired": selectExpired, "stopping": selectStopping, "look": lookAny, "look at run": lookAnyOf,
		"due of run": selectDueOf, "expired of run": selectExpiredOf, "ending": selectEnding, "held": selectHeld, "lease": selectLease,
		"end claimed": endClaimed, "end": endOpen, "cancel waiting": cancelWaiting, "cancel held": cancelHeld, "ready": readyWaiting,
		"wake tasks": wakeTasks, "wake timers": wakeTimers, "drop": deleteTimer, "timers": selectTimers,
		"step": updateStep, "move": updateMove, "change": updateRun, "repair": repairRun, "move tags": moveTags, "count name": selectCountName, "counted": selectCounted,
	}
	for _, t := range countTables {
		queries["add to "+t.name] = t.add
	}
	for i, text := range append(slices.Clone(deletions), deletionsOfRun...) {
		queries[fmt.Sprint("delete ", i)] = text
	}
	queries["limits"], queries["limited"], queries["count held"] = limits.All, selectLimited, limits.Held
	queries["last claim"], queries["claims"], queries["claims ahead"] = limits.Last, limits.Claims, claimsAhead
	queries["forget claims"], queries["next opening"], queries["next of any"] = forgetClaims, nextOpening, nextAny
	queries["chain"], queries["mark"], queries["delete record"] = selectChain, selectMark, deleteRecord
	queries["prunable"], queries["count old"], queries["count prunable"] = selectPrunable, countOld, countPrunable
	queries["hold by child"], queries["leave claimed"], queries["leave open"] = holdByChild, leaveClaimed, leaveOpen
	queries["end held"], queries["delete leftover"], queries["delete held"] = endHeld, deleteLeftover, deleteHeld
	queries["left"], queries["hold leftover"], queries["wait for left"] = selectLeft, holdLeftover, waitForLeft
	queries["delete held by left"], queries["ready after left"] = deleteHeldByLeft, readyAfterLeft
	queries["leftovers"], queries["children"] = selectLeftovers, selectChildren
	queries["reports"], queries["reports to"], queries["report"] = selectReports, selectReportsTo, selectReport
	queries["total"], queries["told"] = updateTotal, updateTold
	queries["waiting"], queries["wanted"], queries["uncounted"], queries["version counts"] = selectWaiting, selectWanted, selectUncounted, selectVersionCounts
	after := &store.RunRow{Run: "r", Started: noon}
	for name, f := range map[string]store.RunFilter{
		"all": {}, "machine": {Machine: "m"}, "state": {State: "s"}, "status": {Status: "s"}, "outcome": {Outcome: "o"},
		"definition": {Definition: "d"}, "machine and state": {Machine: "m", State: "s"},
		"running machine": {Machine: "m", Status: machine.Running, State: "s"}, "halted": {Machine: "m", Status: machine.Halted},
		"failed state": {State: "s", Outcome: machine.Failed}, "finished machine": {Machine: "m", Status: machine.Finished},
		"stuck": {Status: machine.Running, StartedTo: noon, EnteredTo: noon}, "paused": {Status: machine.Running, Paused: true},
		"parent": {Parent: "r", Status: machine.Running}, "tree": {Root: "r"}, "halted of tree": {Root: "r", Status: machine.Halted, State: "s"},
		"time": {StartedFrom: noon, StartedTo: noon.Add(time.Hour)}, "machine and time": {Machine: "m", StartedFrom: noon},
		"tag": {Tags: map[string]string{"a": "v"}}, "tags": {Tags: map[string]string{"a": "v", "b": "v"}, Status: machine.Halted, Machine: "m", State: "s"},
		"tag of tree": {Root: "r", Tags: map[string]string{"a": "v"}}, "id": {Run: "r"}, "beginning": {RunPrefix: "r", Status: machine.Running},
	} {
		queries["runs by "+name], _ = runsQuery(&f, nil)
		queries["later runs by "+name], _ = runsQuery(&f, after)
	}
	mayScan := map[string]string{ // the index of exactly what is wanted, read from its beginning
		"outbox": "USING INDEX outbox_next", "runs by all": "USING INDEX runs_by_start",
		"waiting": "SCAN tasks USING",                                                                                                               // the two indexes of tasks that wait
		"wanted":  "SCAN w",                                                                                                                         // what it has found so far
		"limits":  "SCAN limits", "limited": "SCAN l", "next opening": "SCAN l", "next of any": "SCAN l", "look": "SCAN l", "look at run": "SCAN l", // the few limits that there are
		"count held": "USING INDEX tasks_leases",  // what workers hold
		"uncounted":  "SCAN change VIRTUAL TABLE", // the counts in a row of history
		"leftovers":  "USING INDEX tasks_cancelled",
		"reports":    "USING INDEX runs_untold", "version counts": "SCAN version", // the versions, and their counts
	}
	maySort := map[string]bool{"claim of run": true, "ready messages of run": true, "tasks": true, "uncounted": true, "version counts": true, "due of run": true, "expired of run": true} // the tasks of one run, the last rows
	for name, text := range queries {
		if regexp.MustCompile(`LIMIT \?\d?$`).MatchString(text) {
			t.Errorf("%s is compiled again for each limit: see atMost", name)
		}
		for _, step := range plan(t, s, text) {
			scans := strings.HasPrefix(step, "SCAN") && !strings.HasSuffix(step, "VALUES CLAUSE") && step != "SCAN CONSTANT ROW" && step != "SCAN epochs" && step != "SCAN limits" && step != "SCAN counted" && step != "SCAN chain"
			if allowed := mayScan[name]; scans && (allowed == "" || !strings.Contains(step, allowed)) {
				t.Errorf("%s: %s", name, step)
			}
			if strings.Contains(step, "TEMP B-TREE") && !maySort[name] {
				t.Errorf("%s: %s", name, step)
			}
		}
	}
	for name, index := range map[string]string{
		"due": "timers_due", "claim at once": "tasks_at_once", "claim later": "tasks_later", "claim of run": "(run>? AND run<?)", "ready messages of run": "outbox_waiting (run>? AND run<?)", "expired": "tasks_leases",
		"next task": "tasks_wake", "runs by state": "runs_by_state", "runs by outcome": "runs_by_outcome",
		"later runs by machine": "runs_by_machine", "uncounted": "SEARCH history USING INTEGER PRIMARY KEY (rowid>?)",
		"history": "history_marks (run=? AND seq>? AND seq<?)", "chain": "SEARCH before USING INTEGER PRIMARY KEY (rowid=?)",
		"mark": "history_marks (run=?)", "limited": "definitions_by_machine", "claims ahead": "(machine=? AND activity=?",
		"prunable": "runs_finished (outcome=? AND updated<?)", "count old": "runs_finished (outcome=? AND updated<?)",
		"delete 2": "outbox_by_run", "waiting": "tasks_at_once", "wanted": "tasks_at_once (definition>?)", "count prunable": "runs_finished (outcome=? AND updated<?)",
		"runs by machine and state": "runs_by_state", "runs by running machine": "runs_by_status", "runs by halted": "runs_by_status",
		"runs by failed state": "runs_by_state", "runs by finished machine": "runs_by_machine",
		"runs by parent": "runs_by_parent", "later runs by tree": "runs_by_root", "runs by halted of tree": "runs_by_root", "children": "runs_by_root",
		"reports to": "runs_untold (parent=?)", "report": "(run=?)", "total": "(run=?)", "told": "(run=?)",
		"end held": "tasks_child", "task of child": "tasks_child", "delete leftover": "tasks_child", "delete held": "tasks_child", "held": "tasks_cancelled",
		"runs by stuck": "runs_by_status", "later runs by paused": "runs_by_status",
		"runs by tag": "tags_by_value (name=? AND value=?)", "later runs by tags": "tags_by_value (name=? AND value=? AND (began,run)<(?,?))",
		"runs by tag of tree": "runs_by_root", "runs by id": "(run=?)", "runs by beginning": "runs_by_status", "version counts": "runs USING INDEX runs_by_status (status=?)",
	} {
		if steps := fmt.Sprint(plan(t, s, queries[name])); !strings.Contains(steps, index) {
			t.Errorf("%s does not use %s: %s", name, index, steps)
		}
	}
}

func plan(t *testing.T, s *Store, text string) []string {
	t.Helper()
	args := make([]any, strings.Count(text, "?"))
	if numbered := regexp.MustCompile(`\?\d`).FindAllString(text, -1); numbered != nil {
		args = make([]any, slices.Max(numbered)[1]-'0')
	}
	for i := range args {
		args[i] = 1
	}
	rows, err := s.readers.Query("EXPLAIN QUERY PLAN "+text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		must(t, rows.Scan(&id, &parent, &unused, &detail))
		steps = append(steps, detail)
	}
	return steps
}
