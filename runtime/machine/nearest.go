package machine

import (
	"fmt"
	"strings"
)

// DidYouMean is ` (did you mean "x"?)` where one of names is near enough to a
// misspelt one to be what was meant, and nothing otherwise.
func DidYouMean(name string, names []string) string {
	if near := nearest(name, names); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// alternatives is names as a sentence has them, of which one is meant: `"a", "b"
// or "c"`.
func alternatives(names []string) string {
	var b strings.Builder
	for i, name := range names {
		switch {
		case i > 0 && i == len(names)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", name)
	}
	return b.String()
}

// longestCompared is the length in bytes past which two names are taken to be
// similar only where they differ in nothing but case and underscores.
const longestCompared = 80

// nearest is the one of names that word was most likely meant to be, or "". It
// is lang/diag.Nearest over again, because the runtime imports the standard
// library alone: what counts as near, and where the algorithm is from, is said
// there. One table holds the two together, lang/diag/testdata/nearest.txt.
func nearest(word string, names []string) string {
	best, bestDistance := "", -1
	folded := fold(word)
	for _, name := range names {
		if name == word {
			continue
		}
		d, near := nameDistance(folded, fold(name))
		if !near {
			continue
		}
		if bestDistance < 0 || d < bestDistance || d == bestDistance && name < best {
			best, bestDistance = name, d
		}
	}
	return best
}

// fold takes away what people get wrong without a slip of the finger.
func fold(name string) string {
	return strings.ReplaceAll(strings.ToLower(name), "_", "")
}

// nameDistance is the distance of two folded names, and whether it is small
// enough to think that one was meant for the other.
func nameDistance(a, b string) (int, bool) {
	if a == b {
		return 0, true
	}
	longer := max(len(a), len(b))
	limit := max(longer, 3) / 3
	if longer == 5 && a != "" && b != "" && a[0] == b[0] {
		limit = 2 // "payed" and "paid": the first letter is seldom wrong
	}
	if longer > longestCompared || longer-min(len(a), len(b)) > limit {
		return 0, false
	}
	d := editDistance(a, b)
	return d, d <= limit && d < longer
}

// editDistance counts insertions, deletions, changes and swaps of neighbours,
// in time len(a)*len(b).
func editDistance(a, b string) int {
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := prev[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(prev[j]+1, row[j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}
