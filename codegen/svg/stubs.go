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
	// In one of more than mostArrows arrows, so are all but the main way and the first arrow
	// of each box: it would be black, and take long.
	mostArrows = 2000
)

// crowded are the arrows that would be in the way of others: to terminals that end badly and
// have many, and of a drawing that has too many in all.
func crowded(d *drawing.Drawing, way map[*drawing.Edge]bool) map[*drawing.Edge]bool {
	count := map[*drawing.Node]int{}
	for _, e := range d.Edges {
		count[e.To]++
	}
	stubs := map[*drawing.Edge]bool{}
	led := map[*drawing.Node]bool{}
	for _, e := range d.Edges {
		bad := e.To.Kind == drawing.Terminal && e.To.Outcome != "success"
		nested := e.From != e.To && (e.From.Inside(e.To) || e.To.Inside(e.From)) // of a broken machine
		more := len(d.Edges) > mostArrows && led[e.From] && e.From != e.To
		if (bad && count[e.To] >= crowd || more) && !way[e] || nested {
			stubs[e] = true
		}
		led[e.From] = true
	}
	return stubs
}
