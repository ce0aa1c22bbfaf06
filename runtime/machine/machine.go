package machine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Machine is a checked and indexed Definition. It is immutable, and safe for
// use by several goroutines.
type Machine struct {
	def  *Definition
	hash string

	semantics int // of new runs
	maxData   int // of WithMaxData; 0 for none

	states   []stateCode
	arms     []armCode
	dos      []doCode
	timers   []*code            // the wait of each that has a Var; else nil
	ranks    []int              // of timers: of those due at one instant the lowest fires first
	handlers map[inputKey][]int // the arms of a handler
	enforces bool               // some leaf handles over_budget: runs are held to the costs of the budget
	unknown  int                // the category `unknown`
	defaults []Value            // of the context fields
	events   []EventView
	fans     bool // some do has a Fan
	calls    bool // some do runs a machine as a child

	index struct{ states, events, categories, guards, arms, dos, timers names }
}

// names are those of what there is of a sort.
type names struct {
	what   string
	quoted []string // as JSON has them
	index  map[string]int
}

func (n *names) find(name string) (index int, ok bool) {
	index, ok = n.index[name]
	return index, ok
}

// stateCode is what a step needs to know of a state.
type stateCode struct {
	path        []int // from the machine itself down to the state
	leaf        int   // the leaf or terminal that is entered when the state is
	entry, exit *blockCode
	returned    []Field                  // of a terminal: what a run that ends there returns
	require     func(*env) (bool, error) // nil without one
	restarts    []int                    // arms whose counter starts again when the state is entered from outside
	executions  []int                    // dos whose execution ends when the state is entered from outside
	visitArms   []int                    // of a leaf: retry arms whose counter ends with the visit
	external    []eventCode              // of a leaf: the events that it handles, in the order in which they are declared
}

// eventCode is what a leaf does with an event.
type eventCode struct {
	event int
	arms  []int
}

func (s *stateCode) depth() int { return len(s.path) - 1 }

// armCode is a compiled Arm.
type armCode struct {
	*Arm
	when    func(*env) (bool, error) // nil for always
	by      func(*env) (int64, error)
	block   *blockCode
	bounded bool
	max     int64
	backoff *Backoff // of retry, never nil
	counted bool     // its uses are counted
	place   Place    // for the reason of a fault
}

// blockCode is a compiled Block.
type blockCode struct {
	assigns   []assignCode
	publishes []publishCode
	grows     bool // it sets a field that may be long
	place     Place
}

type assignCode struct {
	field int
	value func(*env) (Value, error) // nil for unset
}

type publishCode struct {
	event  int
	values []func(*env) (Value, error)
}

type doCode struct {
	*Do
	calls bool // it runs a machine
	args  []*code
	list  func(*env) (Value, error) // of one with a Fan
}

// inputKey finds the handler of a leaf for an input: a is the event, category,
// timer or line of the budget, do the one that raised it, or 0.
type inputKey struct {
	state, a, do int
	kind         InputKind
}

// ParseDefinition reads a Definition from its JSON form. It refuses unknown
// fields and another Format; whether the definition makes sense is for Compile
// to say.
func ParseDefinition(data []byte) (*Definition, error) {
	var head struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("the definition is not valid JSON: %w", err)
	}
	if head.Format != Format {
		return nil, fmt.Errorf("the definition has format %d, this program reads format %d", head.Format, Format)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	d := new(Definition)
	if err := decoder.Decode(d); err != nil {
		return nil, fmt.Errorf("the definition is damaged: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the definition is damaged: there is more behind it")
	}
	return d, nil
}

// Encode writes d as canonical JSON: equal definitions give equal bytes. It
// gives nil for a definition that has no JSON form, which Compile refuses.
func (d *Definition) Encode() []byte {
	encoded, _ := EncodeJSON(d)
	return encoded
}

// Hash is that of the Machine which Compile makes of d.
func (d *Definition) Hash() string { return hashOf(d.Encode()) }

func hashOf(encoded []byte) string {
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:])
}

// EncodeJSON is json.Marshal without the escapes that are meant for HTML.
func EncodeJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Definition is what the machine was compiled from. It must not be changed.
func (m *Machine) Definition() *Definition { return m.def }

// Hash names this version of the machine: the SHA-256 of the canonical
// definition, in hexadecimal.
func (m *Machine) Hash() string { return m.hash }

// State is the index of the state with that path.
func (m *Machine) State(path string) (index int, ok bool) { return m.index.states.find(path) }

// Event is the index of the event with that name.
func (m *Machine) Event(name string) (index int, ok bool) { return m.index.events.find(name) }

// Category is the index of the failure category with that name.
func (m *Machine) Category(name string) (index int, ok bool) { return m.index.categories.find(name) }

// Do is the index of the do with that name.
func (m *Machine) Do(name string) (index int, ok bool) { return m.index.dos.find(name) }

// NewSnapshot is a run that has not started: the first input that it takes is
// a StartInput with its parameters. Seed decides all its jitter.
func (m *Machine) NewSnapshot(run string, seed uint64) *Snapshot {
	return &Snapshot{
		Run:      run,
		State:    -1,
		Status:   Running,
		Data:     append([]Value(nil), m.defaults...),
		Counters: make([]int64, len(m.arms)),
		Seed:     seed,
	}
}

// Compile checks d and makes it ready to run. A definition may come from a
// database: whatever is wrong with it gives an error, never a panic later. The
// definition must not be changed afterwards.
func Compile(d *Definition, options ...Option) (*Machine, error) {
	if d.Format != Format {
		return nil, fmt.Errorf("machine %q: the definition has format %d, this program runs format %d", d.Name, d.Format, Format)
	}
	c := &compiler{d: d, m: &Machine{def: d, semantics: newest, handlers: make(map[inputKey][]int)}}
	for _, set := range options {
		if err := set(c.m); err != nil {
			return nil, fmt.Errorf("machine %q: %w", d.Name, err)
		}
	}
	for _, phase := range []func() error{
		c.names, c.declarations, c.tree, c.members, c.indexHandlers, c.compileArms, c.compileStates, c.compileDos, c.compileTimers,
	} {
		if err := phase(); err != nil {
			return nil, fmt.Errorf("machine %q: %w", d.Name, err)
		}
	}
	encoded, err := EncodeJSON(d)
	if err != nil {
		return nil, fmt.Errorf("machine %q: %w", d.Name, err)
	}
	c.m.hash, c.m.events = hashOf(encoded), d.eventViews()
	return c.m, nil
}
