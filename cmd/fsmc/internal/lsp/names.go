package lsp

import (
	"cmp"
	"slices"

	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// names are all names of a unit, to be asked by place and by declaration.
type names struct {
	inFile map[string][]ir.Ref    // by file, in order
	of     map[token.Pos][]ir.Ref // by declaration
}

func namesOf(u *lang.Unit) *names {
	n := &names{inFile: map[string][]ir.Ref{}, of: map[token.Pos][]ir.Ref{}}
	for r := range u.Program.Refs.All() {
		n.inFile[r.At.Filename] = append(n.inFile[r.At.Filename], r)
	}
	for file, list := range n.inFile {
		slices.SortStableFunc(list, func(a, b ir.Ref) int {
			return cmp.Or(a.At.Offset-b.At.Offset, cmp.Compare(a.Decl.Filename, b.Decl.Filename), a.Decl.Offset-b.Decl.Offset)
		})
		list = slices.Compact(list)
		n.inFile[file] = list
		for _, r := range list {
			if r.Decl.IsValid() {
				n.of[r.Decl] = append(n.of[r.Decl], r)
			}
		}
	}
	return n
}

// at are the names of a file at a place, or just before it; several where one place
// means several things.
func (n *names) at(file string, offset int) []ir.Ref {
	list := n.inFile[file]
	first, _ := slices.BinarySearchFunc(list, offset, func(r ir.Ref, at int) int {
		return cmp.Compare(r.At.Offset+r.Len, at)
	})
	var out []ir.Ref
	for _, r := range list[first:] {
		if r.At.Offset > offset || len(out) > 0 && r.At != out[0].At && r.At.Offset >= offset {
			break
		}
		if len(out) > 0 && r.At != out[0].At { // the place between two names belongs to the second
			out = nil
		}
		out = append(out, r)
	}
	return out
}

// same are all places of what is declared at those of refs, and of what shares a place
// with one of them: `event.x` in an arm of two triggers joins two fields.
func (n *names) same(refs []ir.Ref) []ir.Ref {
	known := map[token.Pos]bool{}
	places := map[token.Pos]bool{}
	var out []ir.Ref
	var add func(decl token.Pos)
	add = func(decl token.Pos) {
		if !decl.IsValid() || known[decl] {
			return
		}
		known[decl] = true
		for _, r := range n.of[decl] {
			if places[r.At] {
				continue
			}
			places[r.At] = true
			out = append(out, r)
			for _, other := range n.at(r.At.Filename, r.At.Offset+r.Len/2) {
				add(other.Decl)
			}
		}
	}
	for _, r := range refs {
		if r.Kind != ir.KeyName {
			add(r.Decl)
		}
	}
	slices.SortFunc(out, func(a, b ir.Ref) int {
		return cmp.Or(cmp.Compare(a.At.Filename, b.At.Filename), a.At.Offset-b.At.Offset)
	})
	return out
}
