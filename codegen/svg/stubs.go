package svg

import "github.com/fsmc-dev/fsmc/codegen/drawing"

const (
	// crowd is from how many arrows to a failure or cancelled terminal on they are rows of
	// their boxes: they say little and cross everything.
	crowd = 4
	// In a drawing of more than wideStates states, so are those that lead over more than
	// farRanks ranks.
	wideStates = 60
	farRanks   = 16
	// All together lead over at most mostRanks: the drawing would be black, and take long.
	mostRanks = 4000
)

// crowded are the arrows to terminals that end badly and have many.
func crowded(d *drawing.Drawing, way map[*drawing.Edge]bool) map[*drawing.Edge]bool {
	count := map[*drawing.Node]int{}
	for _, e := range d.Edges {
		count[e.To]++
	}
	stubs := map[*drawing.Edge]bool{}
	for _, e := range d.Edges {
		bad := e.To.Kind == drawing.Terminal && e.To.Outcome != "success"
		nested := e.From != e.To && (e.From.Inside(e.To) || e.To.Inside(e.From)) // of a broken machine
		if bad && count[e.To] >= crowd && !way[e] || nested {
			stubs[e] = true
		}
	}
	return stubs
}
