package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/examples/codereview/forge"
	"github.com/fsmc-dev/fsmc/examples/codereview/review"
)

// The article's agent reviews 200 pull requests a day: one every seven minutes.
// Here one comes every gap, and so the day passes ten thousand times as fast.
const gap = 40 * time.Millisecond

// The forge allows ample comments in each window of a second, and in the third
// of the day that the incident lasts next to none.
const (
	dayWindow = time.Second
	dayLimit  = 1000
	dayLow    = 25
)

// day is the pull requests of a day, made from a seed, and the incident in it.
type day struct {
	pulls []pull
	from  int           // the incident begins with this one
	lasts time.Duration // from there on
}

type pull struct {
	id string
	forge.Pull
	comments []review.Comment // that a whole review of it has
}

// hopeless reports whether the forge will never take this review.
func (p *pull) hopeless() bool { return p.Starved || p.Locked }

// newDay makes n pull requests. Of each forty, one has its quota used up; of
// each hundred, one is locked; of each ten, the diff of one comes at the third
// try only.
func newDay(seed uint64, n int) *day {
	random := rand.New(rand.NewPCG(seed, 0))
	d := &day{from: n * 3 / 10, lasts: time.Duration(n) * gap * 35 / 100}
	for i := range n {
		p := pull{id: fmt.Sprintf("pr-%03d", i+1)}
		p.Diff = newDiff(random, 4+random.IntN(13))
		p.Starved, p.Locked = i%40 == 20, i%100 == 45
		if i%10 == 5 {
			p.Flaky = 2
		}
		p.comments = review.Analyze(p.Diff)
		d.pulls = append(d.pulls, p)
	}
	return d
}

// perFile is how many faults one file has at most.
const perFile = 6

// newDiff adds so many lines with a fault in each, and as many without, to as many files as it takes.
func newDiff(random *rand.Rand, faults int) string {
	bad := []string{
		`fmt.Println("here", %d)`, `_ = os.Remove(path%d)`, `apiKey := "k-000000-%d"`, `value, _ := strconv.Atoi(text%d)`,
	}
	var diff strings.Builder
	for i := range faults {
		if i%perFile == 0 {
			fmt.Fprintf(&diff, "diff --git a/part%[1]d.go b/part%[1]d.go\n--- a/part%[1]d.go\n+++ b/part%[1]d.go\n@@ -1,0 +2,%[2]d @@ package main\n",
				i/perFile, 2*min(perFile, faults-i))
		}
		fmt.Fprintf(&diff, "+\tcount%d++\n+\t", i)
		fmt.Fprintf(&diff, bad[random.IntN(len(bad))], i)
		diff.WriteByte('\n')
	}
	return diff.String()
}

// files is how many files are changed in the day.
func (d *day) files() (n int) {
	for _, p := range d.pulls {
		n += len(review.Patches(p.Diff))
	}
	return n
}

// host puts the day's pull requests on a forge.
func (d *day) host(server *forge.Server) {
	for _, p := range d.pulls {
		server.Host(p.id, p.Pull)
	}
}

// pass lets the pull requests come one after the other, and the incident begin.
func (d *day) pass(server *forge.Server, arrive func(*pull) error) error {
	for i := range d.pulls {
		if i == d.from {
			server.Throttle(dayLow, d.lasts)
		}
		if err := arrive(&d.pulls[i]); err != nil {
			return err
		}
	}
	return nil
}
