package asl_test

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestRetriedFans: a Retry around a Map or a Parallel leads where it leads in the original. The importer
// says that it runs again what has failed and not all; so the attempts are not compared.
func TestRetriedFans(t *testing.T) {
	text, err := os.ReadFile("testdata/retried/fans.asl.json")
	if err != nil {
		t.Fatal(err)
	}
	var def object
	if err := json.Unmarshal(text, &def); err != nil {
		t.Fatal(err)
	}
	own, called, made := compiled(t, def)
	ends := map[string]int{}
	for _, err := range []string{"Busy", "No.Quota", "Other"} {
		for fails := range 5 {
			for _, task := range []string{"Left", "Ask"} {
				input := object{"n": 1.0, "list": []any{object{"k": 1.0}, object{"k": 2.0}, object{"k": 3.0}}}
				want := interpreted(def, input, failing(task, err, fails))
				got := imported(t, def, own, called, []any{input}, []func(string, any, int) answer{failing(task, err, fails)})[0]
				if want.Failed == plain(want.Cause) && got.Failed == "unknown" {
					got.Failed = want.Failed
				}
				if same(want.Output, got.Output) {
					got.Output = want.Output
				}
				if d := diff.Diff(want, got, cmpopts.IgnoreUnexported(played{}), cmpopts.IgnoreFields(played{}, "Calls")); d != "" {
					t.Errorf("%s fails %d times with %s (-original +imported):\n%s\n%s", task, fails, err, d, made)
					return
				}
				ends[fmt.Sprint(want.Path, want.Failed)]++
			}
		}
	}
	if len(ends) < 4 {
		t.Errorf("the runs end as %v: too little to say anything", ends)
	}
}

// failing is Tasks of which one fails so often, for the element 2 of a list, and the others end well.
func failing(task, err string, fails int) func(string, any, int) answer {
	var mu sync.Mutex
	left := fails
	return func(name string, request any, _ int) answer {
		mu.Lock()
		defer mu.Unlock()
		k := number(request.(object)["k"], 2)
		if plain(name) == plain(task) && k == 2 && left > 0 {
			left--
			return answer{err: err, takes: time.Duration(k) * time.Second}
		}
		return answer{result: object{"by": plain(name), "k": k}, takes: time.Duration(k) * time.Second}
	}
}
