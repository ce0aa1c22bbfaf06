package breaking

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// matched gives each machine of old its partner in new: one of the same name. Names are
// unique in a folder only, so where several machines have the name, those whose folders
// end alike belong together, the longest such end first: OLD and NEW may themselves be
// folders of other names. Of ends of one length that folder is nearer which has fewer names before
// it: it is not inside the others. What would be a guess has no partner.
func matched(old, new []*ir.Machine) map[*ir.Machine]*ir.Machine {
	candidates := byName(new)
	out := map[*ir.Machine]*ir.Machine{}
	for name, list := range byName(old) {
		match(list, candidates[name], out)
	}
	return out
}

// match adds to out pairs of old and new, which all have one name: always those of which
// each is the other's nearest.
func match(old, new []*ir.Machine, out map[*ir.Machine]*ir.Machine) {
	for {
		taken := map[*ir.Machine]bool{}
		for _, m := range old {
			if is := nearest(m, new); is != nil && nearest(is, old) == m {
				out[m], taken[is] = is, true
			}
		}
		if len(taken) == 0 {
			return
		}
		old = slices.DeleteFunc(old, func(m *ir.Machine) bool { return out[m] != nil })
		new = slices.DeleteFunc(new, func(m *ir.Machine) bool { return taken[m] })
	}
}

// nearest is the one of list whose folder ends most like that of m, if it is one only.
func nearest(m *ir.Machine, list []*ir.Machine) *ir.Machine {
	var out *ir.Machine
	most, fewest := -1, 0
	for _, other := range list {
		end, before := alike(folder(m), folder(other))
		switch c := cmp.Or(cmp.Compare(end, most), cmp.Compare(fewest, before)); {
		case c > 0:
			out, most, fewest = other, end, before
		case c == 0:
			out = nil
		}
	}
	return out
}

// alike counts the names with which both paths end, and those of b before them.
func alike(a, b []string) (end, before int) {
	for end < min(len(a), len(b)) && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return end, len(b) - end
}

// folder are the names of the folder in which the text of m lies; none of the working directory.
func folder(m *ir.Machine) []string {
	all := names(m.Span.Start.Filename)
	return all[:len(all)-1]
}

// names are those that a path is made of.
func names(file string) []string { return strings.Split(path.Clean(filepath.ToSlash(file)), "/") }

func byName(list []*ir.Machine) map[string][]*ir.Machine {
	out := map[string][]*ir.Machine{}
	for _, m := range list {
		out[m.Name] = append(out[m.Name], m)
	}
	return out
}
