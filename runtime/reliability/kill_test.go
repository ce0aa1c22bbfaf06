//go:build unix && cgo

package reliability

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
)

// perDatabase is how many kills one database lives through, before its runs are
// brought to their end.
const perDatabase = 10

// TestKillAtFailpoints kills a process at every place where it can be in the
// middle of something, at the first time that it comes there, at the second, and
// so on. It needs the tag `failpoint`; FSMC_KILLS is how often for each place.
func TestKillAtFailpoints(t *testing.T) { killAtFailpoints(t, onSQLite) }

// TestKillPostgresAtFailpoints is that of runs on PostgreSQL.
func TestKillPostgresAtFailpoints(t *testing.T) { killAtFailpoints(t, onPostgres) }

func killAtFailpoints(t *testing.T, on place) {
	if !failpoint.Enabled {
		t.Skip("built without the tag failpoint")
	}
	kills := count(t, "FSMC_KILLS", 8)
	var sites, total atomic.Int64
	t.Run("at", func(t *testing.T) {
		for _, site := range failpoint.Sites() {
			if site == failpoint.PartPruned || !site.Of(on.store) {
				continue // TestKillOperators reaches it
			}
			sites.Add(1)
			w, role := orders, "trade"
			if slices.Contains(failpoint.TreeSites(), site) {
				w, role = convoys, "haul"
			}
			t.Run(string(site), func(t *testing.T) {
				t.Parallel()
				total.Add(int64(killAt(t, on, w, role, site, kills)))
			})
		}
	})
	t.Logf("figure: failpoints = %d", sites.Load())
	t.Logf("figure: kills at failpoints = %d", total.Load())
}

// killAt gives how many processes were killed at the site.
func killAt(t *testing.T, on place, w *work, role string, site failpoint.Site, kills int) (killed int) {
	var dir string
	for n := 1; n <= kills; n++ {
		if (n-1)%perDatabase == 0 {
			dir = on.dir(t)
		}
		hit := n
		if n > perDatabase {
			hit = 1 + rand.IntN(3*perDatabase)
		}
		if n > 2 && strings.HasPrefix(string(site), "postgres-") {
			hit = 1 + rand.IntN(1000) // the first of them open the database
		}
		p := spawn(t, role, dir, fmt.Sprintf("k%d", n), fmt.Sprintf("%s:%d", site, hit))
		if p.ended(t) {
			killed++
		} else if hit <= 2 {
			t.Fatalf("the work never comes to it %d times", hit)
		}
		inspectDir(t, w, dir, false)
		if n%perDatabase == 0 || n == kills {
			finishDir(t, w, dir)
		}
	}
	return killed
}

// TestKillAtRandom kills processes at any moment: one alone, or one of two that
// share the database. FSMC_RANDOM_KILLS is how many.
func TestKillAtRandom(t *testing.T) {
	kills := count(t, "FSMC_RANDOM_KILLS", 6)
	if testing.Short() {
		kills = 5
	}
	killAtRandom(t, onSQLite, orders, "trade on", kills)
	t.Logf("figure: kills at random moments = %d", kills)
}

// TestKillTreesAtRandom is that of trees of runs.
func TestKillTreesAtRandom(t *testing.T) {
	kills := count(t, "FSMC_RANDOM_KILLS", 6)
	killAtRandom(t, onSQLite, convoys, "haul on", kills)
	t.Logf("figure: kills of trees at random moments = %d", kills)
}

// TestKillPostgresAtRandom is that of runs, and of trees of runs, on PostgreSQL.
func TestKillPostgresAtRandom(t *testing.T) {
	kills := count(t, "FSMC_RANDOM_KILLS", 3)
	killAtRandom(t, onPostgres, orders, "trade on", kills)
	killAtRandom(t, onPostgres, convoys, "haul on", kills)
	t.Logf("figure: kills at random moments on PostgreSQL = %d", 2*kills)
}

func killAtRandom(t *testing.T, on place, w *work, role string, kills int) {
	var dir string
	for n := range kills {
		if n%perDatabase == 0 {
			dir = on.dir(t)
		}
		victims := []*process{spawn(t, role, dir, fmt.Sprintf("a%d", n), "")}
		if n%2 == 1 {
			victims = append(victims, spawn(t, role, dir, fmt.Sprintf("b%d", n), ""))
		}
		for _, p := range victims {
			time.Sleep(rand.N(250 * time.Millisecond))
			must(t, p.cmd.Process.Kill())
		}
		for _, p := range victims {
			if !p.ended(t) {
				t.Fatal("a process ended before it was killed")
			}
		}
		inspectDir(t, w, dir, false)
		if (n+1)%perDatabase == 0 || n == kills-1 {
			finishDir(t, w, dir)
		}
	}
}
