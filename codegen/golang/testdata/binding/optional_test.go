package optional

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// source has three pages, and the guard says where to go on.
type source struct {
	asked []string
	pages map[string]PagesPage
}

func (s *source) List(_ context.Context, _ *runtime.Attempt, cursor runtime.Optional[string], limit runtime.Optional[int64], body runtime.Optional[json.RawMessage], at runtime.Optional[PagesPlace]) (PagesPage, error) {
	text, err := runtime.EncodeFields(struct {
		Cursor runtime.Optional[string]          `json:"cursor,omitzero"`
		Limit  runtime.Optional[int64]           `json:"limit,omitzero"`
		Body   runtime.Optional[json.RawMessage] `json:"body,omitzero"`
		At     runtime.Optional[PagesPlace]      `json:"at,omitzero"`
	}{cursor, limit, body, at})
	s.asked = append(s.asked, string(text))
	return s.pages[cursor.Value], err
}

func (s *source) Wanted(to runtime.Optional[string], at runtime.Optional[time.Time], place runtime.Optional[PagesPlace]) (bool, error) {
	return to.Value != "no" && at.Set && (!place.Set || place.Value.Shelf != "no"), nil
}

func TestPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{pages: map[string]PagesPage{
			"":  {Rows: []PagesRow{{Name: "a", Size: 1}}, Next: runtime.Some("b"), Wait: runtime.Some(time.Second), Kind: runtime.Some(PagesKindLarge)},
			"b": {Rows: []PagesRow{}, Next: runtime.Some("c"), Body: runtime.Some(json.RawMessage(`{"x":1}`)), Sent: runtime.Some(time.Now()), Kinds: runtime.Some([]PagesKind{PagesKindSmall})},
			"c": {Rows: []PagesRow{}, Body: runtime.Some(json.RawMessage(`null`))},
		}}
		engine := runtime.NewEngine(memstore.New())
		if err := RegisterPages(engine, s, s); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		done := make(chan error)
		go func() { done <- engine.Run(ctx) }()
		runs := PagesRuns{Engine: engine}
		run, err := runs.Start(ctx, "r", PagesParams{Limit: runtime.Some[int64](5), Home: runtime.Some(PagesPlace{Shelf: "h"})})
		if err != nil {
			t.Fatal(err)
		}
		if run.Params.From.Set || !run.Params.Limit.Set || run.Params.Home.Value.Shelf != "h" {
			t.Fatalf("%+v", run.Params)
		}
		time.Sleep(time.Second)
		if _, err := runs.Send(ctx, "r", PagesSkip{To: runtime.Some("no")}); err == nil {
			t.Fatal("the guard is not asked")
		}
		if _, err := runs.Send(ctx, "r", PagesSkip{At: runtime.Some(PagesPlace{Shelf: "no"})}); err == nil {
			t.Fatal("the guard is not asked about a record")
		}
		if _, err := runs.Send(ctx, "r", PagesSkip{To: runtime.Some("b")}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		place := PagesPlace{Shelf: "s", Box: runtime.Some(PagesBox{Depth: 2, Kind: PagesKindSmall})}
		if run, err = runs.Send(ctx, "r", PagesSkip{At: runtime.Some(place)}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if run, err = runs.Get(ctx, "r"); err != nil {
			t.Fatal(err)
		}
		want := PagesData{
			Cursor: runtime.Some("c"), Count: 2, Place: runtime.Some(PagesPlace{Shelf: "h"}),
			Row: runtime.Some(PagesRow{Name: "s", Size: 1, At: runtime.Some(place)}),
		}
		if run.State != PagesStateDone || !reflect.DeepEqual(run.Data, want) {
			t.Errorf("%s %+v, want %+v", run.State, run.Data, want)
		}
		asked := `{"limit":5} {"cursor":"b","limit":5} {"cursor":"c","limit":5,"body":{"x":1},"at":{"shelf":"s","box":{"depth":2,"kind":"Small"}}}`
		if got := strings.Join(s.asked, " "); got != asked {
			t.Errorf("asked %s, want %s", got, asked)
		}
		stop()
		<-done
	})
}
