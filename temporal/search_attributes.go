package temporal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"
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

// changing are those whose values change, in the order of attributes.
var changing = [...]temporal.SearchAttributeKeyKeyword{attributeDefinition, attributeState, attributeStatus, attributeOutcome}

// Attributes are the names and types of the search attributes, for who sets up a namespace.
func Attributes() map[string]enums.IndexedValueType {
	all := map[string]enums.IndexedValueType{}
	for _, key := range []temporal.SearchAttributeKey{attributeMachine, attributeDefinition, attributeState, attributeStatus, attributeOutcome, attributeEntered} {
		all[key.GetName()] = key.GetValueType()
	}
	return all
}

// searchable refuses a start where the runs are to be searchable, and the namespace has not what that takes: the
// server would refuse each step. Where it cannot be asked, as by a permission, the start goes on.
func (c *Client) searchable(ctx context.Context) error {
	if !c.Searchable || c.has.Load() {
		return nil
	}
	if err := c.attributes(ctx); err != nil && !errors.Is(err, errUnknown) {
		return err
	}
	return nil
}

// CanSearch reports whether the namespace has the search attributes of Attributes, so that runs can be Searchable.
func (c *Client) CanSearch(ctx context.Context) bool { return c.attributes(ctx) == nil }

// errUnknown says that the server does not tell which search attributes there are.
var errUnknown = errors.New("the server does not tell its search attributes")

// attributes says which search attribute the namespace lacks, or nothing.
func (c *Client) attributes(ctx context.Context) error {
	namespace := cmp.Or(c.Namespace, client.DefaultNamespace)
	found, err := c.Temporal.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return errUnknown
	}
	wanted := Attributes()
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		has, ok := found.CustomAttributes[name]
		switch {
		case !ok:
			return fmt.Errorf("the namespace %q has no search attribute %s: create it with temporal operator search-attribute create --namespace %s --name %s --type %s, or start runs without Searchable",
				namespace, name, namespace, name, wanted[name])
		case has != wanted[name]:
			return fmt.Errorf("the search attribute %s is of the type %s in the namespace %q, and is to be of the type %s", name, has, namespace, wanted[name])
		}
	}
	c.has.Store(true)
	return nil
}

// attributes are those values of a run that change.
type attributes struct {
	values  [len(changing)]string
	entered time.Time
}

// publishAttributes writes those that have changed.
func (r *run) publishAttributes(ctx workflow.Context) error {
	s := r.snapshot
	if !r.searchable || s.State < 0 {
		return nil
	}
	now := attributes{[...]string{r.machine.Hash(), r.machine.Definition().States[s.State].Path, string(s.Status), string(s.Outcome)}, s.Entered}
	before := r.shown
	if now == before {
		return nil
	}
	r.shown = now
	var updates []temporal.SearchAttributeUpdate
	if before == (attributes{}) {
		updates = append(updates, attributeMachine.ValueSet(r.machine.Definition().Name))
	}
	for i, key := range changing {
		switch {
		case now.values[i] == before.values[i]:
		case now.values[i] == "":
			updates = append(updates, key.ValueUnset())
		default:
			updates = append(updates, key.ValueSet(now.values[i]))
		}
	}
	if !now.entered.Equal(before.entered) {
		updates = append(updates, attributeEntered.ValueSet(now.entered))
	}
	return workflow.UpsertTypedSearchAttributes(ctx, updates...)
}
