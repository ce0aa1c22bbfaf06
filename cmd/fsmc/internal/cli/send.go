package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

func newSend(s *streams) *cobra.Command {
	var (
		t     = target{streams: s}
		data  string
		event runtime.ExternalEvent
		who   runtime.Operator
		ask   guards
	)
	c := &cobra.Command{
		Use:   "send ID EVENT",
		Short: "Send an event to a run",
		Long: `Send gives one event to one run, durably. It prints the state after the event, and
the events that are allowed there. A refused event changes nothing: exit status 1.

With --event-id, the run takes the event one time. A second send with the same id
gets the answer of the first send, with "repeated" in the JSON. Another event, or
other data, under the same id is refused.

With --if-seq, the run refuses the event unless it has taken exactly N steps. fsmc
show prints the number of steps.

If an arm that could take the event asks a host guard, --activities names the
folder with the executable of the guard.`,
		Example: `  fsmc send --db runs.db pr-17 StartReview
  fsmc send --db runs.db order-4 Approve --data '{"by": "ada"}' --event-id approve-4`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 && strings.HasPrefix(args[2], "{") {
				return fmt.Errorf("argument %.60q is one too many: write the fields of an event behind --data", args[2])
			}
			if len(args) > 2 && strings.Contains(args[2], "=") {
				name, value, _ := strings.Cut(args[2], "=")
				if !json.Valid([]byte(value)) {
					value = strconv.Quote(value)
				}
				return fmt.Errorf("argument %.60q is one too many: the fields of an event are a JSON object, as in --data '{%q: %s}'", args[2], name, value)
			}
			return arguments(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("if-seq") && event.IfSeq < 1 {
				return errors.New("--if-seq counts from 1, the step with which a run starts")
			}
			if cmd.Flags().Changed("event-id") && event.ID == "" {
				return errors.New("--event-id is empty: leave it out if the run may take the event twice")
			}
			var err error
			if event.Data, err = s.object(cmd, "data", data, "where the event has no fields"); err != nil {
				return err
			}
			event.Name, event.Actor, event.Reason = args[1], who.Actor, who.Reason
			return ask.answer(cmd.Context(), &t, args[0], func(engine *runtime.Engine) (runtime.View, error) {
				v, err := engine.Send(cmd.Context(), args[0], event)
				return v, withData(cmd.Context(), engine, args[0], err)
			})
		},
	}
	t.flags(c)
	operatorFlags(c, &who)
	ask.flag(c)
	c.Flags().StringVar(&data, "data", "", "the fields of the event, as a `JSON` object; - reads standard input")
	c.Flags().StringVar(&event.ID, "event-id", "", "a `KEY`: the run takes one event under it")
	c.Flags().Int64Var(&event.IfSeq, "if-seq", 0, "refuse unless the run has taken exactly `N` steps")
	return c
}

// withData is err, which for an event with wrong fields also says how these are given.
func withData(ctx context.Context, engine *runtime.Engine, run string, err error) error {
	var refused *runtime.Rejected
	var payload *machine.PayloadError
	if !errors.As(err, &refused) || !errors.As(refused.Err, &payload) {
		return err
	}
	v, failed := engine.Get(ctx, run)
	i := slices.IndexFunc(v.Events, func(e machine.EventView) bool { return e.Name == refused.Event })
	if failed != nil || i < 0 || len(v.Events[i].Fields) == 0 {
		return err
	}
	return fmt.Errorf("%w; give its fields as in --data '%s'", err, sampleOf(v.Events[i].Fields))
}

// sampleOf is some JSON of an object. What stands in a record has the name of that before a point.
func sampleOf(fields []machine.FieldView) string {
	var members []string
	for len(fields) > 0 {
		name, _, inRecord := strings.Cut(fields[0].Name, ".")
		value := sample(fields[0].Type)
		n := 1
		if inRecord {
			var inside []machine.FieldView
			for n = 0; n < len(fields) && strings.HasPrefix(fields[n].Name, name+"."); n++ {
				inside = append(inside, machine.FieldView{Name: fields[n].Name[len(name)+1:], Type: fields[n].Type})
			}
			value = sampleOf(inside)
		}
		members = append(members, fmt.Sprintf("%q: %s", name, value))
		fields = fields[n:]
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// sample is some JSON of a type as it is written in a machine; "…" where that is too much to write.
func sample(typ string) string {
	low, _, ranged := strings.Cut(strings.TrimPrefix(typ, "int "), "..")
	switch {
	case strings.HasPrefix(typ, "int ") && ranged:
		return low
	case strings.HasPrefix(typ, "int"), strings.HasPrefix(typ, "float"):
		return "1"
	case strings.HasPrefix(typ, "bool"):
		return "true"
	case strings.HasPrefix(typ, "["):
		return "[…]"
	}
	return `"…"`
}

// object is what a flag says of which the value is a JSON object; leave is where it is left out.
func (s *streams) object(c *cobra.Command, flag, data, leave string) (json.RawMessage, error) {
	if data == "" && c.Flags().Changed(flag) {
		return nil, fmt.Errorf("--%s is empty: leave it out %s", flag, leave)
	}
	if data != "-" {
		return json.RawMessage(data), nil
	}
	text, err := s.readUpTo(runtime.MaxPayload+1, "-")
	if err != nil {
		return nil, fmt.Errorf("standard input cannot be read: %w", err)
	}
	if len(text) > runtime.MaxPayload {
		return nil, findingf("standard input has more than %d bytes, the most that --%s may have", runtime.MaxPayload, flag)
	}
	return text, nil
}

// answer prints the state of a run and the events allowed there.
func (t *target) answer(v *runtime.View) error {
	return t.print(v, false, func() {
		if v.Repeated {
			fmt.Fprintf(t.out, "the run took this event before, at %s, and answered:\n", describe.When(v.Updated, time.Now()))
		}
		fmt.Fprintln(t.out, describe.Stands(v))
		if text := describe.Returned(v); text != "" {
			fmt.Fprintln(t.out, text)
		}
		if v.Status != runtime.Finished {
			writeEvents(t.out, v.Events)
		}
	})
}
