package breaking

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// matched gives each machine of old its partner in new: one of the same name. Names are
// unique in a folder only, so where several machines have the name, those whose folders
// end alike belong together, the longest such end first: OLD and NEW may themselves be
// folders of other names. What would be a guess has no partner.
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
		var restOld []*ir.Machine
		taken := map[*ir.Machine]bool{}
		for _, m := range old {
			is := nearest(m, new)
			if is == nil || nearest(is, old) != m {
				restOld = append(restOld, m)
				continue
			}
			out[m], taken[is] = is, true
		}
		if len(taken) == 0 {
			return
		}
		var restNew []*ir.Machine
		for _, m := range new {
			if !taken[m] {
				restNew = append(restNew, m)
			}
		}
		old, new = restOld, restNew
	}
}

// nearest is the one of list whose folder ends most like that of m, if it is one only.
func nearest(m *ir.Machine, list []*ir.Machine) *ir.Machine {
	var out *ir.Machine
	best := -1
	for _, other := range list {
		n := alike(folder(m), folder(other))
		switch {
		case n > best:
			out, best = other, n
		case n == best:
			out = nil
		}
	}
	return out
}

// alike counts the names with which both paths end.
func alike(a, b string) int {
	n := 0
	for lastName(a) != "" && lastName(a) == lastName(b) {
		a, b = strings.TrimSuffix(a, lastName(a)), strings.TrimSuffix(b, lastName(b))
		a, b = strings.TrimSuffix(a, "/"), strings.TrimSuffix(b, "/")
		n++
	}
	return n
}

func lastName(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

// folder is where the text of m lies; that of the working directory is empty.
func folder(m *ir.Machine) string {
	dir := path.Dir(filepath.ToSlash(m.Span.Start.Filename))
	if dir == "." {
		return ""
	}
	return dir
}

func byName(list []*ir.Machine) map[string][]*ir.Machine {
	out := map[string][]*ir.Machine{}
	for _, m := range list {
		out[m.Name] = append(out[m.Name], m)
	}
	return out
}
