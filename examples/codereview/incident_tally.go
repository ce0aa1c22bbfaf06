package main

import (
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/fsmc-dev/fsmc/runtime"
)

// tally is what became of the reviews of a day.
type tally struct {
	reviews, complete, incomplete, duplicates, failed, open int
}

// count adds a review that ended with outcome, by what stands in its thread.
func (t *tally) count(p *pull, thread map[string]int, outcome runtime.Outcome) {
	t.reviews++
	missing := 0
	for _, c := range p.comments {
		if thread[c.ID] == 0 {
			missing++
		}
		t.duplicates += max(0, thread[c.ID]-1)
	}
	switch {
	case outcome == "":
		t.open++
	case outcome == runtime.Success:
		t.complete++
		if missing > 0 {
			t.incomplete++
		}
	default:
		t.failed++
	}
}

// compare prints the two days side by side.
func compare(naive, fsmc tally) error {
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tthe loop\tfsmc\t")
	for _, row := range []struct {
		text        string
		naive, fsmc int
	}{
		{"reviews", naive.reviews, fsmc.reviews},
		{"called complete", naive.complete, fsmc.complete},
		{"of them with comments missing", naive.incomplete, fsmc.incomplete},
		{"comments posted twice", naive.duplicates, fsmc.duplicates},
		{"failed, and said so", naive.failed, fsmc.failed},
		{"without an end", naive.open, fsmc.open},
	} {
		fmt.Fprintf(t, "  %s\t%d\t%d\t\n", row.text, row.naive, row.fsmc)
	}
	return t.Flush()
}

// share is the part of the reviews called complete that are not.
func (t *tally) share() float64 { return 100 * float64(t.incomplete) / float64(t.reviews) }
