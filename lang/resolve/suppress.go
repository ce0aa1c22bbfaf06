package resolve

import (
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// allowDirective begins a suppression: //fsmc:allow RULE because REASON. With
// permitDirective it is of a change, not of a finding.
const (
	allowDirective  = "//fsmc:allow"
	permitDirective = "//fsmc:allow-breaking"
)

// allows are the suppressions of a machine, or of what a file has outside its machines.
type allows struct{ findings, changes *[]*ir.Allow }

// placeAllows gives each suppression of f to the machine in which it stands,
// or the one that it stands above; one above an import or an enum of the file goes to
// out, and one below all goes to what stands last.
func placeAllows(f *ast.File, machines map[*ast.Machine]*ir.Machine, out *ir.File) {
	var starts *starts
	var ends []int
	var lists []allows // of what ends there
	for _, d := range f.Decls {
		list := allows{&out.Allows, &out.Permits}
		switch d := d.(type) {
		case *ast.Bad:
			continue
		case *ast.Machine:
			m := machines[d]
			if m == nil {
				continue
			}
			list = allows{&m.Allows, &m.Permits}
		}
		ends, lists = append(ends, d.Span().End.Offset), append(lists, list)
	}
	for i, c := range f.Comments {
		directive := directiveOf(c.Text)
		if directive == "" || len(lists) == 0 {
			continue
		}
		if starts == nil {
			starts = startsOf(f)
		}
		at, _ := slices.BinarySearch(ends, c.Pos.Offset+1)
		list := lists[min(at, len(lists)-1)].findings
		if directive == permitDirective {
			list = lists[min(at, len(lists)-1)].changes
		}
		a := parseAllow(c, directive)
		a.Covers = starts.below(starts.lastOfBlock(f.Comments[i:]))
		*list = append(*list, a)
	}
}

// directiveOf is the directive with which a comment begins that is a suppression; else
// empty.
func directiveOf(text string) string {
	for _, directive := range []string{allowDirective, permitDirective} {
		rest, ok := strings.CutPrefix(text, directive)
		if ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return directive
		}
	}
	return ""
}

func parseAllow(c *ast.Comment, directive string) *ir.Allow {
	rest := strings.TrimSpace(strings.TrimPrefix(c.Text, directive))
	rule, rest, _ := strings.Cut(rest, " ")
	reason, _ := strings.CutPrefix(strings.TrimSpace(rest), "because ")
	if reason == strings.TrimSpace(rest) {
		reason = "" // there is no "because"
	}
	return &ir.Allow{
		Rule: rule, Reason: strings.TrimSpace(reason),
		Span: c.Pos.Span(len(c.Text)),
	}
}

// starts knows where in a file something begins, in order.
type starts struct {
	places []token.Pos
	wholes map[int]token.Span // machines and composite states, by offset
	bodies []token.Span       // machines and states, outer before inner
}

// lastOfBlock is the last of the comments that follow one another line by line.
// One that stands behind something belongs to its line, and ends the block
// before it.
func (s *starts) lastOfBlock(comments []*ast.Comment) *ast.Comment {
	last := comments[0]
	for _, c := range comments[1:] {
		if c.Pos.Line != last.Pos.Line+1 || s.standsBehind(c) {
			break
		}
		last = c
	}
	return last
}

// standsBehind reports whether something begins on the line of c before it.
func (s *starts) standsBehind(c *ast.Comment) bool {
	i, _ := slices.BinarySearchFunc(s.places, c.Pos.Offset, func(p token.Pos, offset int) int { return p.Offset - offset })
	return i > 0 && s.places[i-1].Line == c.Pos.Line
}

// below is what a suppression covers whose comments end with c: all that
// begins on the line below, and the whole of a machine or composite state that
// does. It does not reach out of the braces in which it stands.
func (s *starts) below(c *ast.Comment) token.Span {
	end := c.Pos.Span(len(c.Text)).End
	covers := token.Span{Start: end, End: end}
	i, _ := slices.BinarySearchFunc(s.places, c.Pos.Offset, func(p token.Pos, offset int) int { return p.Offset - offset })
	inside := s.inside(c)
	for ; i < len(s.places) && s.places[i].Line <= c.Pos.Line+1; i++ {
		p := s.places[i]
		if inside.IsValid() && !inside.Contains(p) {
			break
		}
		if whole, ok := s.wholes[p.Offset]; ok {
			return token.Span{Start: covers.Start, End: whole.End}
		}
		covers.End = p
		covers.End.Offset++ // so that what begins at p is covered
		covers.End.Column++
	}
	return covers
}

// inside is the innermost machine or state in which c stands.
func (s *starts) inside(c *ast.Comment) token.Span {
	for _, body := range slices.Backward(s.bodies) {
		if body.Contains(c.Pos) {
			return body
		}
	}
	return token.Span{}
}

// startsOf walks the whole of f. Trees are as deep as the parser allows.
func startsOf(f *ast.File) *starts {
	s := &starts{wholes: map[int]token.Span{}}
	ast.Walk(f, func(n ast.Any) bool {
		at := n.Span()
		s.places = append(s.places, at.Start)
		switch n := n.(type) {
		case *ast.Machine:
			s.wholes[at.Start.Offset] = at
			s.bodies = append(s.bodies, at)
		case *ast.State:
			s.bodies = append(s.bodies, at)
			if holdsStates(n.Items) {
				s.wholes[at.Start.Offset] = at
			}
		}
		return true
	})
	slices.SortStableFunc(s.places, func(p, q token.Pos) int { return p.Offset - q.Offset })
	return s
}
