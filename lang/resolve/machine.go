package resolve

import (
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// resolver resolves one machine.
type resolver struct {
	*unit
	m   *ir.Machine
	src *ast.Machine

	enums      *space[*ir.Enum]
	records    *space[*ir.Record]
	vars       *space[*ir.Var] // parameters and fields, of a record the whole: see leafVars
	events     *space[*ir.Event]
	categories *space[*ir.Category]
	callables  *space[bool] // activities and, where true, guards: one name space
	activities *space[*ir.Activity]
	guards     *space[*ir.Guard]
	costs      *space[bool] // what activities cost; not unique, each names its own

	file  *file             // in which it stands
	outer map[*ir.Enum]bool // enums of files that it uses

	outerRecords  map[*ir.Record]token.Span // records of files that it uses, and where first
	recordSources []*ast.Record             // of its own records

	payload map[*ir.Event]map[string]*ir.EventField // of a record the whole, with the index of its first leaf

	root       *node
	nodes      []*node // every state, detached ones too
	misplaced  []misplaced
	bare       map[string][]*node // states by their own name; made when first asked for
	labels     map[string][]*ir.Do
	labelNames map[string]*ast.Name // where a label of that name stands first
	fans       bool                 // some do has a `for`
	calls      map[string]*call     // machines that it calls, by name; nil until they are looked for
	depth      int                  // of these; 0 for none
	lostLabels map[string]bool      // labels of what could not be resolved

	misnamed map[string]bool    // names that the language keeps for itself, of which a declaration took one
	gaps     bool               // a bad item stands where declarations stand
	partial  map[*ir.Event]bool // events of which a field could not be read
}

func newResolver(u *unit, src *ast.Machine) *resolver {
	r := &resolver{
		unit: u,
		src:  src,
		m: &ir.Machine{
			Name: src.Name.Text, Doc: src.Doc(), Span: src.Name.Span(), Body: src.Span(),
		},
		enums:      newSpace[*ir.Enum]("enum"),
		records:    newSpace[*ir.Record]("record"),
		vars:       newSpace[*ir.Var]("field"),
		events:     newSpace[*ir.Event]("event"),
		categories: newSpace[*ir.Category]("category"),
		callables:  newSpace[bool]("activity or guard"),
		activities: newSpace[*ir.Activity]("activity"),
		guards:     newSpace[*ir.Guard]("guard"),
		costs:      newSpace[bool]("cost"),
		outer:      map[*ir.Enum]bool{},

		outerRecords: map[*ir.Record]token.Span{},

		payload:    map[*ir.Event]map[string]*ir.EventField{},
		labels:     map[string][]*ir.Do{},
		partial:    map[*ir.Event]bool{},
		misnamed:   map[string]bool{},
		lostLabels: map[string]bool{},
		labelNames: map[string]*ast.Name{},
	}
	r.records.forms = r.enums.forms // types are one name space
	return r
}

// declarations runs the passes by which the machine is known to those that call it: what
// it declares, and its states.
func (r *resolver) declarations() {
	r.findGaps()
	r.declareEnums()
	r.declareRecords()
	r.resolveRecordFields(r.m.Records, r.recordSources)
	r.measure(r.m.Records)
	r.declareParams()
	r.declareFields()
	r.declareEvents()
	r.declareCategories()
	r.declareActivities()
	r.declareGuards()
	r.buildStates()
}

// members runs the passes over what names declarations and states.
func (r *resolver) members() {
	r.declareCalls()
	r.addCosts()
	r.resolveBudget()
	r.resolveDos()
	for _, n := range r.nodes {
		r.resolveMembers(n)
	}
	r.m.AddBudgetTimer()
	r.resolveAsserts()
	r.orderOwn()
	r.addOuter()
	r.noteAssigned()
	if !r.m.Broken && !r.m.Incomplete {
		r.noteAhead()
	}
}

// noteAssigned notes of each field whether it may change.
func (r *resolver) noteAssigned() {
	for b := range r.m.Blocks() {
		for _, a := range b.Assigns {
			lit, isLit := a.Value.(*ir.Lit)
			if !a.Keeps && (!isLit || a.Var.Default == nil || *lit.Value != *a.Var.Default) {
				a.Var.Assigned = true
			}
		}
	}
	for _, v := range r.m.Fields {
		v.Assigned = v.Assigned || r.m.Broken || r.m.Incomplete
	}
}

// findGaps looks for what the parser could not read where declarations stand.
func (r *resolver) findGaps() {
	for _, item := range r.src.Items {
		switch item := item.(type) {
		case *ast.Bad:
			r.gaps = true
		case *ast.Context:
			r.gaps = r.gaps || len(item.Bad) > 0
		}
	}
	r.m.Incomplete = r.gaps
}

// report adds an error finding about the machine.
func (r *resolver) report(rule string, span token.Span, message, help string, related ...diag.Related) *diag.Diagnostic {
	r.m.Broken = true
	r.list.Add(diag.Diagnostic{
		Rule: rule, Severity: diag.Error, Machine: r.m.Name,
		Span: span, Message: message, Help: help, Related: related,
	})
	return &r.list[len(r.list)-1]
}
