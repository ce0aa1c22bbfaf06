package diag

import "strings"

// longestCompared is the length in bytes past which two names are taken to be
// similar only where they differ in nothing but case and underscores.
const longestCompared = 80

// Nearest is the one of names that word was most likely meant to be, for "did
// you mean". It reports false where none is near enough: more than a third of
// the letters would have to change (of five, more than two behind an equal first
// one), or the two have nothing in common. Case
// and underscores do not count, so that "fetchDiff" finds "fetch_diff". Of
// names equally near the first in alphabetical order is taken, whatever the
// order of names. The runtime, which may not import this package, has a copy.
func Nearest(word string, names []string) (string, bool) {
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
	return best, bestDistance >= 0
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

// editDistance is the Damerau-Levenshtein distance of a and b in its
// restricted form (optimal string alignment): the fewest insertions,
// deletions, changes and swaps of neighbours, no stretch edited twice.
// It keeps three rows of the table of Wagner and Fischer ("The
// String-to-String Correction Problem", JACM 21, 1974), extended by the swap
// of Damerau ("A technique for computer detection and correction of spelling
// errors", CACM 7, 1964), and takes time in len(a)*len(b).
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
