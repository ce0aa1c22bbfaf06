package dot

import "github.com/fsmc-dev/fsmc/codegen/drawing"

// The colours are soft enough for white text-heavy slides and far enough apart
// in lightness to survive a black and white printer: what has an outcome has a
// double border, what is not the main path is thinner and lighter.
const (
	font = "Helvetica,Arial,sans-serif"

	titleSize = 20
	stateSize = 14
	rowSize   = 11
	labelSize = 11

	ink      = "#1F2933" // titles
	quiet    = "#52606D" // rows
	faint    = "#7B8794" // details and asides
	blue     = "#1F5FBF" // the way a run took
	blueWash = "#E6F0FF"
	gold     = "#C77700" // where a run is
	goldWash = "#FFF1C9"
	pink     = "#C2185B" // where no run has been
	pinkWash = "#FDE8F1"
)

// boxStyle is how a node looks.
type boxStyle struct {
	fill, line string
	width      string
}

func styleOf(n *drawing.Node) boxStyle {
	s := kindStyle(n)
	switch n.Mark {
	case drawing.Taken:
		s.line, s.width = blue, "2"
		if n.Kind == drawing.State || n.Kind == drawing.Choice {
			s.fill = blueWash
		}
	case drawing.Current:
		s = boxStyle{fill: goldWash, line: gold, width: "3"}
	case drawing.Missed:
		s = boxStyle{fill: pinkWash, line: pink, width: "2"}
	}
	return s
}

func kindStyle(n *drawing.Node) boxStyle {
	switch n.Kind {
	case drawing.Choice:
		return boxStyle{"#FFF8E6", "#A8832B", "1.2"}
	case drawing.Any:
		return boxStyle{"#FFFFFF", "#9AA5B1", "1"}
	case drawing.Terminal:
		return outcomeStyle(n.Outcome)
	}
	return boxStyle{"#F3F7FB", "#5B7083", "1.2"}
}

// outcomeStyle is how a terminal with that outcome looks.
func outcomeStyle(outcome string) boxStyle {
	switch outcome {
	case "success":
		return boxStyle{"#E3F4E8", "#2E7D4F", "1.4"}
	case "failure":
		return boxStyle{"#FBE9E7", "#B5473C", "1.4"}
	}
	return boxStyle{"#ECEFF1", "#6B7780", "1.4"}
}

// arrowStyle is how an edge looks, and how hard it pulls its ends together.
type arrowStyle struct {
	color, text string
	style       string
	width       string
	weight      string
}

func styleOfEdge(e *drawing.Edge) arrowStyle {
	s := edgeStyles[e.Kind]
	switch e.Mark {
	case drawing.Taken, drawing.Current:
		s.color, s.width = blue, "2.4"
	case drawing.Missed:
		s.color, s.width = pink, "2.4"
	}
	return s
}

var edgeStyles = map[drawing.EdgeKind]arrowStyle{
	drawing.Initial: {"#1F2933", ink, "solid", "1.2", "30"},
	drawing.Normal:  {"#3E4C59", ink, "solid", "1.4", "30"},
	drawing.Else:    {"#7B8794", "#52606D", "solid", "1.1", "2"},
	drawing.Timer:   {"#8A6D3B", "#76592A", "solid", "1.1", "2"},
	drawing.Cancel:  {"#7B8794", "#52606D", "dotted", "1.2", "1"},
	drawing.Failure: {"#CC8C85", "#9C463D", "solid", "1.1", "1"},
	drawing.Retry:   {"#6E8CA8", "#47647F", "dashed", "1.1", "1"},
}
