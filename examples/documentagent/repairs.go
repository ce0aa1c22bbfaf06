package main

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

//go:embed documentagent.fsm
var source string

var operator = runtime.Operator{Actor: "ada", Reason: "the outline is gone"}

// repairs damages a session in the database, and another by a careless draft of
// the machine, and repairs both.
func (s *show) repairs(ctx context.Context) error {
	fmt.Println("  A hand in the database takes the outline of a session that writes:")
	row, err := s.writing(ctx, "damaged-row", nil)
	if err != nil {
		return err
	}
	if err := s.takeOutline(ctx, row.id); err != nil {
		return err
	}
	if err := repair(ctx, row); err != nil {
		return err
	}
	fmt.Println("\n  A draft of the machine lets a person take the outline back. The checker refuses it:")
	draft, err := draft()
	if err != nil {
		return err
	}
	careless, err := s.writing(ctx, "careless-draft", draft)
	if err != nil {
		return err
	}
	if _, err := careless.runs.Engine.Send(ctx, careless.id, runtime.NewEvent("OutlineWithdrawn", nil)); err != nil {
		return err
	}
	fmt.Println("  Someone ran it all the same, and a session writes without an outline:")
	return repair(ctx, careless)
}

// writing plays a session of machine, or of this one where it is nil, up to the
// writing of sections.
func (s *show) writing(ctx context.Context, id string, machine *runtime.Machine) (*session, error) {
	one, err := newSession(s.store, &s.mail, id, rand.New(rand.NewPCG(s.seed, 1<<32)), s.until.Add(-6*time.Hour), s.until)
	if err != nil {
		return nil, err
	}
	one.agent.person, one.agent.trouble = character{begins: time.Minute, answers: time.Hour}, trouble{}
	stop := DocumentAgentStateWritingSections
	one.stopAt = &stop
	if machine == nil {
		return one, one.play(ctx)
	}
	// Started by an engine that knows the draft, it is worked on with the same
	// activities: their types have not changed.
	starter := runtime.NewEngine(s.store, runtime.WithClock(one.agent.clock))
	if err := starter.Register(machine, "", runtime.Handlers{}); err != nil {
		return nil, err
	}
	if _, err := (DocumentAgentRuns{Engine: starter}).Start(ctx, id, DocumentAgentParams{Session: id}); err != nil {
		return nil, err
	}
	return one, one.goOn(ctx)
}

// takeOutline edits the file as a person with a shell can.
func (s *show) takeOutline(ctx context.Context, run string) error {
	db, err := sql.Open("sqlite3", s.database()) // the driver is there: runtime/sqlite brings it
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, `UPDATE runs SET snapshot = json_remove(snapshot, '$.data.outline') WHERE run = ?`, run)
	return err
}

// repair shows what is wrong, repairs it, and lets the session run to its end.
func repair(ctx context.Context, one *session) error {
	fmt.Printf("    fsmc repair %s\n", one.id)
	report, err := one.runs.Engine.Repair(ctx, one.id, runtime.RepairOptions{Apply: true, Operator: operator})
	if err != nil {
		return err
	}
	for _, fault := range report.Faults {
		fmt.Printf("    fault: %s\n", fault)
	}
	run, err := one.runs.Get(ctx, one.id)
	if err != nil {
		return err
	}
	fmt.Printf("    repaired: %s -> %s, with the outline %q\n", report.State, run.State, run.Data.Outline.Value)
	one.stopAt = nil
	if err := one.goOn(ctx); err != nil {
		return err
	}
	if run, err = one.runs.Get(ctx, one.id); err != nil {
		return err
	}
	fmt.Printf("    and the session went on to %s\n", run.State)
	done, err := runtime.ResultOf[DocumentAgentCompleteResult](run)
	if err != nil {
		return err
	}
	if !report.Applied || done.Document == "" {
		return program.ErrWrong
	}
	return nil
}

// draft is this machine with a way to take the outline back while sections are
// written, which its `require` forbids. It prints what the checker says to that.
func draft() (*runtime.Machine, error) {
	text := strings.NewReplacer(
		"    event StartOver\n", "    event StartOver\n    event OutlineWithdrawn\n",
		"        on SectionsWritten ->", "        on OutlineWithdrawn { outline = unset }\n        on SectionsWritten ->",
	).Replace(source)
	unit := lang.Load([]lang.Source{{Name: "draft.fsm", Src: []byte(text)}})
	found := append(unit.Diags, check.Run(unit.Program, all.Rules)...)
	found.Sort()
	others := 0
	for _, d := range found {
		switch {
		case d.Rule == "require-violated":
			fmt.Printf("    %s: error: %s [%s]\n", d.Span, d.Message, d.Rule)
		case d.Severity == diag.Error:
			others++
		}
	}
	fmt.Printf("    and %d errors that come of it\n", others)
	if !found.HasErrors() || len(unit.Program.Machines) != 1 {
		return nil, errors.New("the draft is not what it was made for")
	}
	return machine.Compile(table.Compile(unit.Program.Machines[0]))
}
