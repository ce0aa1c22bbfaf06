package temporal

import (
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// The search attributes of a run, by which it is listed. They are written where Input.Searchable says that
// the namespace has them, since a server refuses what it does not know.
var (
	attributeMachine    = temporal.NewSearchAttributeKeyKeyword("fsmcMachine")
	attributeDefinition = temporal.NewSearchAttributeKeyKeyword("fsmcDefinition") // its hash
	attributeState      = temporal.NewSearchAttributeKeyKeyword("fsmcState")
	attributeStatus     = temporal.NewSearchAttributeKeyKeyword("fsmcStatus")
	attributeOutcome    = temporal.NewSearchAttributeKeyKeyword("fsmcOutcome") // unset until the run has ended
	attributeEntered    = temporal.NewSearchAttributeKeyTime("fsmcEntered")
)

// Attributes are the names and types of the search attributes, for who sets up a namespace.
func Attributes() map[string]enums.IndexedValueType {
	all := map[string]enums.IndexedValueType{}
	for _, key := range []temporal.SearchAttributeKey{attributeMachine, attributeDefinition, attributeState, attributeStatus, attributeOutcome, attributeEntered} {
		all[key.GetName()] = key.GetValueType()
	}
	return all
}

// attributes are those values of a run that change.
type attributes struct {
	definition, state, status, outcome string
	entered                            time.Time
}

// publishAttributes writes those that have changed.
func (r *run) publishAttributes(ctx workflow.Context) error {
	s := r.snapshot
	if !r.searchable || s.State < 0 {
		return nil
	}
	now := attributes{r.machine.Hash(), r.machine.Definition().States[s.State].Path, string(s.Status), string(s.Outcome), s.Entered}
	before := r.shown
	if now == before {
		return nil
	}
	r.shown = now
	var updates []temporal.SearchAttributeUpdate
	if before == (attributes{}) {
		updates = append(updates, attributeMachine.ValueSet(r.machine.Definition().Name))
	}
	if now.definition != before.definition {
		updates = append(updates, attributeDefinition.ValueSet(now.definition))
	}
	if now.state != before.state {
		updates = append(updates, attributeState.ValueSet(now.state))
	}
	if now.status != before.status {
		updates = append(updates, attributeStatus.ValueSet(now.status))
	}
	switch {
	case now.outcome == before.outcome:
	case now.outcome == "":
		updates = append(updates, attributeOutcome.ValueUnset())
	default:
		updates = append(updates, attributeOutcome.ValueSet(now.outcome))
	}
	if !now.entered.Equal(before.entered) {
		updates = append(updates, attributeEntered.ValueSet(now.entered))
	}
	return workflow.UpsertTypedSearchAttributes(ctx, updates...)
}
