package ast

import "strings"

// directive begins a comment that speaks to a tool, not to a reader.
const directive = "//fsmc:"

// doc joins the last unbroken block of comments above n.
func doc(n *Node) string {
	if n.Comments == nil {
		return ""
	}
	before := n.Comments.Before
	line := n.Pos.Line
	first := len(before)
	for first > 0 && before[first-1].Pos.Line == line-1 {
		first--
		line--
	}
	var lines []string
	for _, c := range before[first:] {
		if !strings.HasPrefix(c.Text, directive) {
			text := strings.TrimPrefix(c.Text, "//")
			lines = append(lines, strings.TrimRight(strings.TrimPrefix(text, " "), " \t"))
		}
	}
	return strings.Join(lines, "\n")
}
