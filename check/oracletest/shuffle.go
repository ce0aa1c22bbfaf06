package oracletest

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// Shuffle writes the members and declarations of a machine that Generate wrote in
// another order, which means the same. Timers keep theirs: it decides between two
// that are due at once.
func Shuffle(r *rand.Rand, src string) string {
	lines := strings.Split(strings.TrimSuffix(src, "\n"), "\n")
	last := len(lines) - 1
	return strings.Join(slices.Concat(lines[:1], shuffled(r, lines[1:last]), lines[last:]), "\n") + "\n"
}

// shuffled is a body in another order. What stands deeper, and the bracket that
// closes a member, belongs to the member before it.
func shuffled(r *rand.Rand, body []string) []string {
	var members [][]string
	for _, line := range body {
		n := len(members)
		if n > 0 && (indent(line) > indent(members[n-1][0]) || strings.TrimSpace(line) == "}") {
			members[n-1] = append(members[n-1], line)
			continue
		}
		members = append(members, []string{line})
	}
	var timers []int
	for i, m := range members {
		if head := strings.TrimSpace(m[0]); strings.HasPrefix(head, "state ") && len(m) > 1 {
			inner := shuffled(r, m[1:len(m)-1])
			members[i] = slices.Concat(m[:1], inner, m[len(m)-1:])
		}
	}
	r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	var inOrder [][]string
	for i, m := range members {
		if strings.HasPrefix(strings.TrimSpace(m[0]), "after ") {
			timers, inOrder = append(timers, i), append(inOrder, m)
		}
	}
	slices.SortFunc(inOrder, func(a, b []string) int { return at(body, a[0]) - at(body, b[0]) })
	for i, m := range inOrder {
		members[timers[i]] = m
	}
	return slices.Concat(members...)
}

// at is where line stands in body; of two that are alike it does not matter which.
func at(body []string, line string) int { return slices.Index(body, line) }

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
