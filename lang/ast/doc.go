package ast

import (
	"strings"

	"github.com/fsmc-dev/fsmc/lang/token"
)

// directive begins a comment that speaks to a tool, not to a reader.
const directive = "//fsmc:"

// block is the last unbroken block of comments above n.
func (n *Node) block() []*Comment {
	if n.Comments == nil {
		return nil
	}
	before := n.Comments.Before
	line := n.Pos.Line
	first := len(before)
	for first > 0 && before[first-1].Pos.Line == line-1 {
		first--
		line--
	}
	return before[first:]
}

// Whole is where the node stands with the comments directly above it.
func (n *Node) Whole() token.Span {
	whole := n.Span()
	if block := n.block(); len(block) > 0 {
		whole.Start = block[0].Pos
	}
	return whole
}

// Doc is the text of the comment block directly above the node, without the
// slashes and without directives (//fsmc:…): what documents it.
func (n *Node) Doc() string {
	var lines []string
	for _, c := range n.block() {
		if !strings.HasPrefix(c.Text, directive) {
			text := strings.TrimPrefix(c.Text, "//")
			lines = append(lines, strings.TrimRight(strings.TrimPrefix(text, " "), " \t"))
		}
	}
	return strings.Join(lines, "\n")
}
