package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// takeRepair reads the require of the leaf with the data as it is. Where it is
// false the run leaves the leaf for the other target, as if it had been turned
// away on entering. Else nothing changes: that the replay of the history, and
// not what was stored, is the run is written with the step.
func (t *step) takeRepair() error {
	t.record.Effect, t.idle = Repaired, false
	leaf := t.old.State
	if t.old.Status.Over() {
		return nil
	}
	if ok, err := t.holds(leaf); err != nil || ok {
		return err
	}
	t.record.Effect = Moved
	t.record.Redirects = []int{leaf}
	return t.transit(t.m.def.States[leaf].Require.Target, nil)
}

// Migration is what the record of a migration has: the state in which the run
// was by its old definition, and the whole of it by the new one. Replay goes on
// from there.
type Migration struct {
	From     string
	Snapshot json.RawMessage
}

// MigrationInput moves a run from the machine old, where it stands at s, to m and to next, which Migrated has given.
func (m *Machine) MigrationInput(old *Machine, s, next *Snapshot, who Operator) Input {
	return Input{Kind: MigrateInput, Actor: who.Actor, Reason: who.Reason,
		Migration: &Migration{From: old.def.States[s.State].Path, Snapshot: m.EncodeSnapshot(next)}}
}

// stepMigrated takes over the snapshot of a migration to m. Of s, which is of
// another machine, only the names and the counts are read.
func (m *Machine) stepMigrated(s *Snapshot, in Input, now time.Time) (*Snapshot, []Command, *Record, error) {
	next, err := m.DecodeSnapshot(in.Migration.Snapshot)
	switch {
	case err != nil:
		return nil, nil, nil, err
	case next.Run != s.Run || next.Token != s.Token || next.Seq != s.Seq+1 || !next.Now.Equal(stepTime(s, now)):
		return nil, nil, nil, errors.New("the migration is of another step")
	case len(next.Versions) == 0 || next.Versions[len(next.Versions)-1].Until != s.Seq:
		return nil, nil, nil, fmt.Errorf("the migration does not say which definition ends with record %d", s.Seq)
	}
	return next, nil, &Record{
		Seq: next.Seq, At: next.Now, Input: in, From: -1, To: next.State, Visit: next.Visit, Effect: Migrated, Arm: -1,
	}, nil
}
