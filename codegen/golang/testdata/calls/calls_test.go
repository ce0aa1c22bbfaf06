package shop

import (
	"context"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// work does the activities of Review and of Night.
type work struct{ told int64 }

func (w *work) Read(_ context.Context, _ *runtime.Attempt, file string) (ReviewRead, error) {
	return ReviewRead{Comments: int64(len(file)), Size: SizeLarge}, nil
}

func (w *work) Readable(file string) (bool, error) { return file != "x", nil }

func (w *work) Tell(_ context.Context, _ *runtime.Attempt, comments int64) (NightTold, error) {
	w.told = comments
	return NightTold{}, nil
}

// TestTree runs a tree of machines, in whatever order they are registered.
func TestTree(t *testing.T) {
	for name, reviewFirst := range map[string]bool{"review first": true, "night first": false} {
		t.Run(name, func(t *testing.T) {
			var w work
			engine := runtime.NewEngine(memstore.New())
			register := []func() error{
				func() error { return RegisterReview(engine, &w, &w) },
				func() error { return RegisterNight(engine, &w) },
			}
			if !reviewFirst {
				register[0], register[1] = register[1], register[0]
			}
			for _, f := range register {
				if err := f(); err != nil {
					t.Fatal(err)
				}
			}
			runs := NightRuns{Engine: engine}
			if _, err := runs.Start(t.Context(), "n", NightParams{Left: []string{"ab", "x"}, Right: []string{"c"}}); err != nil {
				t.Fatal(err)
			}
			if _, err := engine.RunUntilDone(t.Context(), "n"); err != nil {
				t.Fatal(err)
			}
			got, err := runs.Get(t.Context(), "n")
			if err != nil {
				t.Fatal(err)
			}
			if r, err := runtime.ResultOf[NightDoneResult](got); err != nil || r.Comments != 3 || w.told != 3 {
				t.Errorf("%+v, %v; told %d", r, err, w.told)
			}
		})
	}
}
