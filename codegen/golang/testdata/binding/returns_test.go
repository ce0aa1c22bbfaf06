package returns

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

func start(t *testing.T) (*runtime.Engine, SurveyRuns) {
	t.Helper()
	engine := runtime.NewEngine(memstore.New())
	if err := RegisterSurvey(engine); err != nil {
		t.Fatal(err)
	}
	runs := SurveyRuns{Engine: engine}
	run, err := runs.Start(t.Context(), "r", SurveyParams{Topic: "tea", Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runtime.ResultOf[SurveyDoneResult](run); err == nil || !strings.Contains(err.Error(), `in state "Asking" and has not ended in "Done"`) {
		t.Fatal(err)
	}
	return engine, runs
}

func TestEveryKindIsReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, runs := start(t)
		began := time.Now().UTC().Truncate(time.Microsecond)
		answer := SurveyAnswer{Text: "yes", Level: SurveyLevelHigh, Raw: json.RawMessage(`{"a":[1]}`), Names: []string{}}
		if _, err := runs.Send(t.Context(), "r", answer); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		run, err := runs.Send(t.Context(), "r", SurveyClose{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := runtime.ResultOf[SurveyDoneResult](run)
		if err != nil {
			t.Fatal(err)
		}
		want := SurveyDoneResult{
			Topic: "tea", Count: 1, Summary: "yes", Level: SurveyLevelHigh, Levels: []SurveyLevel{SurveyLevelHigh}, At: began.Add(time.Minute),
			Ratio: 0.5, Raw: json.RawMessage(`{"a":[1]}`), Spent: time.Minute, Names: []string{}, Limit: time.Minute,
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got  %+v\nwant %+v", got, want)
		}
		if _, err := runtime.ResultOf[SurveyLateResult](run); err == nil || !strings.Contains(err.Error(), `in state "Done" and has not ended in "Late"`) {
			t.Fatal(err)
		}
		// What a run returned is in its JSON, and comes back out of it.
		text, err := json.Marshal(run)
		if err != nil {
			t.Fatal(err)
		}
		var again SurveyRun
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		if got, err := runtime.ResultOf[SurveyDoneResult](again); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, %v", got, err)
		}
	})
}

func TestOtherEnds(t *testing.T) {
	engine, runs := start(t)
	v, err := engine.Cancel(t.Context(), "r", runtime.CancelOptions{})
	if err != nil || v.Returns != nil {
		t.Fatalf("%s, %v", v.Returns, err)
	}
	run, err := runs.Get(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runtime.ResultOf[SurveyDoneResult](run); err == nil {
		t.Fatal("a cancelled run has a result")
	}
	// A version of the machine whose terminal returned nothing.
	run.State, run.Returns = SurveyStateDone, nil
	if _, err := runtime.ResultOf[SurveyDoneResult](run); err == nil || !strings.Contains(err.Error(), "another version") {
		t.Fatal(err)
	}
	run.Returns = json.RawMessage(`{"count":"many"}`)
	if _, err := runtime.ResultOf[SurveyDoneResult](run); err == nil || !strings.Contains(err.Error(), `what run "r" has returned`) {
		t.Fatal(err)
	}
}
