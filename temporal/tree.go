package temporal

import (
	"encoding/json"
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// compile compiles a definition in JSON.
func compile(definition json.RawMessage, o ...machine.Option) (*machine.Machine, error) {
	d, err := machine.ParseDefinition(definition)
	if err != nil {
		return nil, err
	}
	return machine.Compile(d, o...)
}

// compileTree compiles a machine and those that it calls, which are among the definitions.
func compileTree(d *machine.Definition, callees []*machine.Definition, o ...machine.Option) (*machine.Machine, map[string]*machine.Machine, error) {
	known := make([]*machine.Machine, len(callees))
	for i, callee := range callees {
		var err error
		if known[i], err = machine.Compile(callee, o...); err != nil {
			return nil, nil, err
		}
	}
	of, err := tree(d, known)
	if err != nil {
		return nil, nil, err
	}
	m, err := machine.Compile(d, o...)
	return m, of, err
}

// tree are the machines, by their hashes, that one calls, and that these call, of those that are known. The
// error says what is missing, or what of them all does not run here yet.
func tree(d *machine.Definition, known []*machine.Machine) (map[string]*machine.Machine, error) {
	all, found := map[string]*machine.Machine{}, map[string]*machine.Machine{}
	for _, m := range known {
		all[m.Hash()] = m
	}
	return found, below(d, all, found)
}

// below adds to found the machines that one calls, and those that they call.
func below(d *machine.Definition, known, found map[string]*machine.Machine) error {
	for i := range d.Activities {
		a := &d.Activities[i]
		if a.Callee == "" || found[a.Callee] != nil {
			continue
		}
		callee := known[a.Callee]
		if callee == nil {
			return fmt.Errorf("machine %q: it calls the machine %q, and that version of it is not brought", d.Name, a.Name)
		}
		found[a.Callee] = callee
		if err := below(callee.Definition(), known, found); err != nil {
			return err
		}
	}
	return nil
}
