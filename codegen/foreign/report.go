package foreign

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Grade says how much of a piece came over.
type Grade string

const (
	Whole Grade = "whole" // all that it does
	Part  Grade = "part"  // with a difference or a guess, or without some of its data
	Lost  Grade = "lost"  // where it leads is not what it was
)

// Report says how much of a text came over, piece by piece.
type Report struct {
	Format   string   `json:"format"`
	Machines []string `json:"machines"`
	Items    []*Item  `json:"items"`
}

// Item is one piece of the original: a state, or the machine itself.
type Item struct {
	Place string   `json:"place"` // its name in the original
	Line  int      `json:"line"`  // 0 where it is not known
	Grade Grade    `json:"grade"`
	Why   []string `json:"why"` // a sentence for each difference, behind "guessed" or "lost"
}

// Item begins a new item.
func (r *Report) Item(place string, line int) *Item {
	i := &Item{Place: place, Line: line, Grade: Whole, Why: []string{}}
	r.Items = append(r.Items, i)
	return i
}

// Part notes a difference or a guess, and is the comment that says so.
func (i *Item) Part(format string, args ...any) string {
	return i.note(Part, "guessed: ", format, args)
}

// Data notes a value that is not there any more, and is the comment that says so.
func (i *Item) Data(format string, args ...any) string { return i.note(Part, "lost: ", format, args) }

// Lost notes that the item does not lead where it did, and is the comment that says so.
func (i *Item) Lost(format string, args ...any) string { return i.note(Lost, "lost: ", format, args) }

func (i *Item) note(g Grade, word, format string, args []any) string {
	if i.Grade != Lost {
		i.Grade = g
	}
	why := word + oneLine(fmt.Sprintf(format, args...))
	if !slices.Contains(i.Why, why) {
		i.Why = append(i.Why, why)
	}
	return "// " + strings.ToUpper(why[:1]) + why[1:]
}

// Comment is a comment of a text, and empty where there is none.
func Comment(text string) string {
	if text == "" {
		return ""
	}
	return "// " + oneLine(text)
}

// Grade is that of the worst item.
func (r *Report) Grade() Grade {
	for _, g := range []Grade{Lost, Part} {
		if r.Count(g) > 0 {
			return g
		}
	}
	return Whole
}

// Count is how many items have a grade.
func (r *Report) Count(g Grade) int {
	n := 0
	for _, i := range r.Items {
		if i.Grade == g {
			n++
		}
	}
	return n
}

// oneLine is s without line breaks and control characters, cut where it is long.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.Map(printable, strings.ToValidUTF8(s, "?"))), " ")
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return s
}

// printable is r, or a blank in place of what ends a line or turns the direction of writing.
func printable(r rune) rune {
	if unicode.IsControl(r) || r >= '\u2028' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
		return ' '
	}
	return r
}
