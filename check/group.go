package check

// Group is the part of the reference in which a rule stands; its text is the
// heading.
type Group string

// The groups of language.md, section 7, and one for what is said of
// suppressions.
const (
	Names        Group = "Names and types"
	Graph        Group = "Graph"
	Completeness Group = "Determinism and completeness"
	Data         Group = "Data"
	Promises     Group = "Bounds and promises"
	Comments     Group = "Suppressions"
)

// Groups are all groups in the order of the reference.
var Groups = []Group{Names, Graph, Completeness, Data, Promises, Comments}
