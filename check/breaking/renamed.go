package breaking

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// renamed are the new paths of states that have another name now, by the old ones, as
// far as that is certain: of the states that one program has alone, exactly one in each
// says the same, the names of states that are gone or new aside.
func renamed(old, new *ir.Machine) map[string]string {
	gone, added := apart(old, new), apart(new, old)
	out := map[string]string{}
	if len(gone) == 0 || len(added) == 0 {
		return out
	}
	texts := map[string][]*ir.State{}
	for _, s := range added {
		text := without(s, added)
		texts[text] = append(texts[text], s)
	}
	twins := map[string]int{}
	for _, s := range gone {
		twins[without(s, gone)]++
	}
	for _, s := range gone {
		text := without(s, gone)
		if len(texts[text]) == 1 && twins[text] == 1 {
			out[s.Path] = texts[text][0].Path
		}
	}
	return out
}

// apart are the states of m, outer before inner, whose paths other has not. Of a
// composite that is one, those inside are, too.
func apart(m, other *ir.Machine) []*ir.State {
	return slices.DeleteFunc(slices.Clone(m.States), func(s *ir.State) bool { return stateOf(other, s.Path) != nil })
}

// without is the text of s in which states of list have no names.
func without(s *ir.State, list []*ir.State) string {
	text := stateText(s)
	for _, inner := range s.Children {
		text += "\n" + inner.Name + " " + stateText(inner)
	}
	for _, t := range list {
		text = wordOf(t.Path).ReplaceAllString(text, "${1}\x00${2}")
		if t.Name != t.Path {
			text = wordOf(t.Name).ReplaceAllString(text, "${1}\x00${2}")
		}
	}
	if p := s.Parent; p != nil {
		text += "\nin " + p.Path
	}
	return text
}

// path is the path in the new machine of the state that the old one has at path.
func (p *pair) path(path string) string {
	for at := path; at != ""; {
		if to, ok := p.states[at]; ok {
			return to + path[len(at):]
		}
		end := strings.LastIndexByte(at, '.')
		if end < 0 {
			break
		}
		at = at[:end]
	}
	return path
}

// wordOf finds the path of a state in the text of another one.
func wordOf(path string) *regexp.Regexp {
	return regexp.MustCompile(`(^|[^\w.])` + regexp.QuoteMeta(path) + `($|[^\w])`)
}
