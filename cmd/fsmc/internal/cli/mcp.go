//go:build !hook

package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/mcp"
	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/codegen/mermaid"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/runtime"
)

func newMCP(s *streams) *cobra.Command {
	var (
		t = target{streams: s}
		o = mcp.Options{Version: version(), Front: mcpFrontEnd()}

		ask guards
	)
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Let agents look at runs and steer them: a server of the Model Context Protocol",
		Long: `Mcp serves one client of the Model Context Protocol on standard input and output:
an agent, or a program that has one. The client starts the command itself; docs/mcp.md
has the settings of common ones. fsmc serve does the same over HTTP, at /mcp.

The agent can list machines and runs, look at a run and its history, start runs, send
events, cancel, pause, resume and retry, end activities by hand, simulate, and check
the text of a machine. Every answer about a run says which events the run takes now. In
the history of a run, the agent is "mcp:" and the name of the client.

With --machine, each event that the machine takes is also a tool of its own, as in
CodeReview_StartReview, with the fields of the event as its arguments.

With --read-only, the agent can only look, and the database is opened for reading.

Mcp does no work: activities and timers need a worker, such as fsmc run.

If an arm that could take an event asks a host guard, --activities names the folder
with the executable of the guard.`,
		Example: `  fsmc mcp --db runs.db
  fsmc mcp --db runs.db --machine CodeReview
  fsmc mcp --db runs.db --read-only`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.with(cmd.Context(), writing(!o.ReadOnly), "", func(store runtime.Store) (err error) {
				if o.Engine, err = ask.engine(store); err != nil {
					return err
				}
				server, err := mcp.New(cmd.Context(), o)
				if err != nil {
					return err
				}
				return server.Serve(cmd.Context(), s.in, s.out)
			})
		},
	}
	dbFlag(c, &t.db)
	c.Flags().StringVar(&o.Machine, "machine", "", "each event that the machine called `NAME` takes is a tool, too")
	c.Flags().BoolVar(&o.ReadOnly, "read-only", false, "offer nothing that changes a run")
	ask.flag(c)
	return c
}

// mcpFrontEnd is what the compiler says to agents.
func mcpFrontEnd() mcp.FrontEnd {
	return mcp.FrontEnd{
		Check: func(ctx context.Context, source string) (any, error) {
			r := report{unit: lang.Load([]lang.Source{{Name: "machine.fsm", Src: []byte(source)}})}
			list, worst, err := check.AnalyzeContext(ctx, r.unit.Program, all.Rules, explore.DefaultLimit, false)
			if err != nil {
				return nil, err
			}
			r.list, r.worst = withFrontEnd(r.unit, list), worst
			r.fold()
			return r.json(), nil
		},
		Explain: func(name string) (string, error) {
			rule, err := findRule(name)
			if err != nil {
				return "", err
			}
			return rule.Page(), nil
		},
		Diagram: func(v *runtime.Version) (string, error) {
			unit := lang.Load([]lang.Source{{Name: v.Name + ".fsm", Src: []byte(v.Source)}})
			m, err := pick(unit.Program, v.Name)
			if err != nil {
				return "", fmt.Errorf("the stored text of %s cannot be drawn: %w", v.Name, err)
			}
			return string(mermaid.Target.Generate(m, codegen.Options{})), nil
		},
	}
}
