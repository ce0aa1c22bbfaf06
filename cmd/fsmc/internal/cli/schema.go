package cli

import (
	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/schema"
)

func newSchema(s *streams) *cobra.Command {
	var name string
	c := &cobra.Command{
		Use:   "schema PATH...",
		Short: "Print JSON Schemas of what a machine takes",
		Long: `Schema prints one JSON object with JSON Schemas of what a machine takes:

  params      the parameters of a run
  events      the "data" of each event; only activities raise one that is "internal"
  activities  the "args" of each activity, and the "data" of each of its "results"

The schemas have the types and ranges of the machine. fsmc serve and fsmc mcp give
them to programs.`,
		Example: `  fsmc schema review.fsm
  fsmc schema --machine Refund orders`,
		RunE: func(_ *cobra.Command, paths []string) error { return s.printSchema(paths, name) },
	}
	machineFlag(c, &name)
	return c
}

// jsonSchemas is what schema prints. Its JSON form is stable.
type jsonSchemas struct {
	Machine    string         `json:"machine"`
	Doc        string         `json:"doc,omitempty"`
	Params     schema.Schema  `json:"params"`
	Events     []jsonEvent    `json:"events"`
	Activities []jsonActivity `json:"activities"`
}

type jsonEvent struct {
	Event    string        `json:"event"`
	Doc      string        `json:"doc,omitempty"`
	Internal bool          `json:"internal,omitempty"`
	Data     schema.Schema `json:"data"`
}

type jsonActivity struct {
	Activity string        `json:"activity"`
	Doc      string        `json:"doc,omitempty"`
	Args     schema.Schema `json:"args"`
	Results  []jsonEvent   `json:"results"`
}

func (s *streams) printSchema(paths []string, name string) error {
	_, m, err := s.loadOne(paths, name, s.refuseUnit)
	if err != nil {
		return err
	}
	return printJSON(s.out, schemasOf(m))
}

func schemasOf(m *ir.Machine) *jsonSchemas {
	d := table.Compile(m)
	out := &jsonSchemas{Machine: d.Name, Doc: d.Doc, Params: schema.Params(d), Events: []jsonEvent{}, Activities: []jsonActivity{}}
	ends := map[int]bool{} // events that are the ends of children
	for i := range d.Activities {
		of := &d.Activities[i]
		a := jsonActivity{of.Name, of.Doc, schema.Object(d, of.Params), []jsonEvent{}}
		for _, e := range of.Results {
			a.Results = append(a.Results, eventOf(d, e))
			ends[e] = ends[e] || of.Callee != ""
		}
		out.Activities = append(out.Activities, a)
	}
	for i := range d.Events {
		if !ends[i] {
			out.Events = append(out.Events, eventOf(d, i))
		}
	}
	return out
}

func eventOf(d *machine.Definition, i int) jsonEvent {
	e := &d.Events[i]
	return jsonEvent{e.Name, e.Doc, e.Internal, schema.Event(d, i)}
}
