package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/schema"
)

// actions are the tools of the machine that was named: one for each event that may be sent to
// a run of it, also of older versions, as long as the newer ones do not declare it.
func (s *Server) actions(ctx context.Context) ([]tool, error) {
	if _, err := s.versionOf(ctx, s.Machine); err != nil {
		return nil, err
	}
	versions, err := s.Engine.Versions(ctx)
	if err != nil {
		return nil, err
	}
	var tools []tool
	named := map[string]bool{}
	for i := range versions {
		if v := &versions[i]; v.Name == s.Machine && v.Machine != nil {
			d := v.Machine.Definition()
			for e := range d.Events {
				if taken(d, e) && !named[d.Events[e].Name] {
					named[d.Events[e].Name] = true
					tools = append(tools, s.actionOf(d, e))
				}
			}
		}
	}
	return tools, nil
}

// taken reports whether some state takes an event from outside: others are only published.
func taken(d *machine.Definition, event int) bool {
	return slices.ContainsFunc(d.States, func(s machine.State) bool {
		return slices.ContainsFunc(s.Handlers, func(h machine.Handler) bool { return h.Kind == machine.EventInput && h.Event == event })
	})
}

// actionOf is the tool that sends an event: its arguments are the run, and the fields of the
// event.
func (s *Server) actionOf(d *machine.Definition, event int) tool {
	e := &d.Events[event]
	fields := schema.Event(d, event)
	run := runParam()
	for slices.ContainsFunc(fields.Properties, func(p schema.Property) bool { return p.Name == run.name }) {
		run.name += "_"
	}
	t := tool{
		name: toolName(s.Machine, e.Name), title: e.Name, effect: true, output: answerOutput, run: run.name,
		doc:    strings.TrimSpace(e.Doc + fmt.Sprintf("\nSends %s to a run of %s.", e.Name, s.Machine)),
		params: []param{run},
	}
	for _, p := range fields.Properties {
		t.params = append(t.params, param{name: p.Name, needed: slices.Contains(fields.Required, p.Name), schema: p.Schema, open: true})
	}
	t.call = func(ctx context.Context, c *call) (any, error) {
		if err := s.ofMachine(ctx, c.run); err != nil {
			return nil, err
		}
		delete(c.args, run.name)
		data, err := machine.EncodeJSON(c.args)
		if err != nil {
			return nil, err
		}
		c.args = nil
		return s.send(ctx, c, e.Name, data)
	}
	return t
}

// ofMachine refuses a run of another machine than the one that was named.
func (s *Server) ofMachine(ctx context.Context, run string) error {
	row, err := s.Engine.Row(ctx, run)
	if err == nil && row.Machine != s.Machine {
		return errors.New(describe.OtherMachine(run, row.Machine, s.Machine))
	}
	return err
}

const (
	// maxToolName is how long clients let the name of a tool be.
	maxToolName = 64
	// nameDigits is how many digits tell names apart that had to be shortened.
	nameDigits = 8
)

// notInTools are the characters that the name of a tool has not.
var notInTools = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// toolName is the name of an event's tool: at most 64 characters of [A-Za-z0-9_-].
func toolName(machine, event string) string {
	name := machine + "_" + event
	plain := notInTools.ReplaceAllString(name, "_")
	if plain == name && len(name) <= maxToolName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return plain[:min(len(plain), maxToolName-nameDigits-1)] + "_" + hex.EncodeToString(sum[:nameDigits/2])
}
