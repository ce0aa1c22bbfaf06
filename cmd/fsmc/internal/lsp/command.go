package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// worstCommand shows the runs that reach the worst case of a machine. Its arguments are the URI of the
// text and the name of the machine.
const worstCommand = "fsmc.worst"

func execute(s *server, params *json.RawMessage) (work, error) {
	var p proto.ExecuteCommandParams
	var uri, name string
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	switch {
	case p.Command != worstCommand:
		return nil, fmt.Errorf("there is no command %q", p.Command)
	case len(p.Arguments) != 2 || json.Unmarshal(p.Arguments[0], &uri) != nil || json.Unmarshal(p.Arguments[1], &name) != nil:
		return nil, fmt.Errorf("%s has two arguments: the URI of a text, and the name of a machine in it", worstCommand)
	}
	v, err := s.view(uri)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		text, err := v.worstRuns(ctx, name)
		if err != nil {
			return nil, err
		}
		s.tell(proto.MessageInfo, text)
		return text, nil
	}, nil
}

// worstRuns are the figures of a machine, each with a run that reaches it, or else comes near.
func (v *view) worstRuns(ctx context.Context, name string) (string, error) {
	program := v.unit().Program
	i := slices.IndexFunc(program.Machines, func(m *ir.Machine) bool { return m.Name == name && m.Span.Start.Filename == v.doc.path })
	if i < 0 {
		return "", refused("there is no machine %q in this text", name)
	}
	limited, cancel := context.WithTimeout(ctx, v.server.Budget)
	defer cancel()
	_, worst, err := check.AnalyzeContext(limited, program, nil, v.server.Limit, true)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", refused("the worst case of %s takes longer than %s: fsmc check --bounds --witness shows it", name, v.server.Budget)
	case worst[i] == nil:
		return "", refused("machine %s is not whole", name)
	}
	w := worst[i]
	lines := []string{"the worst case of " + name + ": " + worstText(w)}
	for _, f := range append([]check.Figure{w.Steps, w.Time}, w.Costs...) {
		if f.Run == nil {
			continue
		}
		name := f.Name
		if _, short := f.Short(); short {
			name += ", not reached by this run"
		}
		lines = append(lines, name+": "+runOf(f.Run.Diag()))
	}
	return strings.Join(lines, "\n"), nil
}
