//go:build unix && cgo

package reliability

import (
	"embed"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// model is a machine, and what the checker proves of it.
type model struct {
	*runtime.Machine
	source string
	proved func() proof
	callee *model // the next machine of the file, which it may call
}

// byName has the machine, and those that it calls.
func (m *model) byName() map[string]*model {
	all := map[string]*model{}
	for ; m != nil; m = m.callee {
		all[m.Definition().Name] = m
	}
	return all
}

// proof is what the checker says of a machine.
type proof struct {
	clean    bool                // no error: no run may ever be halted or stuck
	steps    *big.Rat            // the most moves and retries of a run; nil for no bound
	attempts map[string]*big.Rat // by activity: the most attempts of a run; none for no bound
}

// configurations is how far the checker looks at a machine.
const configurations = 200_000

// newModel compiles the first machine of a file, and those behind it that it calls. The
// error is of one that has errors in its names or types.
func newModel(source string) (*model, error) {
	unit := lang.Load([]lang.Source{{Name: "machine.fsm", Src: []byte(source)}})
	if unit.Diags.HasErrors() || len(unit.Program.Machines) == 0 {
		return nil, fmt.Errorf("the machine has errors: %v", unit.Diags)
	}
	var m *model
	for _, of := range slices.Backward(unit.Program.Machines) {
		compiled, err := machine.Compile(table.Compile(of))
		if err != nil {
			return nil, err
		}
		m = &model{Machine: compiled, source: source, callee: m}
		m.proved = sync.OnceValue(func() proof { return prove(unit.Program, of) })
	}
	return m, nil
}

func prove(program *ir.Program, of *ir.Machine) proof {
	p := proof{attempts: map[string]*big.Rat{}}
	p.clean = !check.RunUpTo(program, all.Rules, configurations).HasErrors()
	worst := check.Bounds(of, configurations)
	if worst == nil {
		return p
	}
	p.steps = worst.Steps.Amount
	for _, a := range worst.Activities {
		if a.Amount != nil {
			p.attempts[a.Name] = a.Amount
		}
	}
	return p
}

//go:embed testdata
var testdata embed.FS

// The machines of testdata.
var (
	order    = sync.OnceValue(func() *model { return load("order") })
	parcel   = sync.OnceValue(func() *model { return load("parcel") })
	auction  = sync.OnceValue(func() *model { return load("auction") })
	bells    = sync.OnceValue(func() *model { return load("bells") })
	convoy   = sync.OnceValue(func() *model { return load("convoy") })
	claimOld = sync.OnceValue(func() *model { return load("claim") })
	tree     = sync.OnceValue(func() *model { return load("tree") })
	fan      = sync.OnceValue(func() *model { return load("fan") })

	claimNew = sync.OnceValue(func() *model { return compiled(strings.ReplaceAll(claimOld().source, "Waiting", "Held")) })
	treeNew  = sync.OnceValue(func() *model { return freshened(tree()) })
	fanNew   = sync.OnceValue(func() *model { return freshened(fan()) })
)

// freshened is the machine with one event more.
func freshened(m *model) *model {
	return compiled(strings.ReplaceAll(m.source, "event Skip", "event Fresh\n    event Skip"))
}

func load(name string) *model {
	text, err := testdata.ReadFile("testdata/" + name + ".fsm")
	if err != nil {
		panic(err)
	}
	return compiled(string(text))
}

func compiled(source string) *model {
	m, err := newModel(source)
	if err != nil {
		panic(err)
	}
	return m
}
