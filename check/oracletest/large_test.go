package oracletest_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// knownLarge lists, by hashes of their texts, the random machines that brute force gives up on. To find that out
// took half of its time, and a machine that it has given up on answers no question.
const knownLarge = "testdata/large.txt"

// oracleLarge is for who has the time, as .ci/run has: the list is what comes out.
var oracleLarge = flag.Bool("oracle-large", os.Getenv("FSMC_ORACLE_LARGE") != "", "explore also the machines in "+knownLarge+", and write it again")

var large struct {
	sync.Mutex
	known, found map[string]bool
}

func TestMain(m *testing.M) {
	flag.Parse()
	large.known, large.found = map[string]bool{}, map[string]bool{}
	if !*oracleLarge {
		text, err := os.ReadFile(knownLarge)
		if err != nil {
			panic(err)
		}
		for _, hash := range strings.Fields(string(text)) {
			large.known[hash] = true
		}
	}
	code := m.Run()
	all := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" && !testing.Short()
	if code == 0 && *oracleLarge && all && *oracleSeed == firstSeed && *oracleCount == usualCount {
		list := slices.Sorted(maps.Keys(large.found))
		if err := os.WriteFile(knownLarge, []byte(strings.Join(list, "\n")+"\n"), 0o644); err != nil {
			panic(err)
		}
	}
	os.Exit(code)
}

// bruteSpace is the space of m, whose text is src; nil where it is too large.
func bruteSpace(src string, m *ir.Machine) *oracletest.Space {
	hash := fmt.Sprintf("%.16x", sha256.Sum256([]byte(src)))
	large.Lock()
	known := large.known[hash]
	large.Unlock()
	if known {
		return nil
	}
	s := oracletest.Explore(m, bruteLimit)
	if s == nil {
		large.Lock()
		large.found[hash] = true
		large.Unlock()
	}
	return s
}
