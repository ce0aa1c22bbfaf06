package runtime_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

func TestParseWhere(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for text, want := range map[string]store.RunFilter{
		"machine=Order": {Machine: "Order"},
		"machine = Order, state=Working.Draft and older than 2h": {
			Machine: "Order", State: "Working.Draft", StartedTo: ago(2 * time.Hour)},
		"older than 30d":              {StartedTo: ago(30 * 24 * time.Hour)},
		"older>1d12h":                 {StartedTo: ago(36 * time.Hour)},
		"older=0s status=halted":      {StartedTo: now, Status: machine.Halted},
		"\tstatus=paused\n":           {Status: machine.Running, Paused: true},
		"outcome=failure":             {Outcome: machine.Failed},
		"definition=abc state=older":  {Definition: "abc", State: "older"},
		"state=and and machine=older": {State: "and", Machine: "older"},
		"tag.team=pay id=pr-1*":       {Tags: map[string]string{"team": "pay"}, RunPrefix: "pr-1"},
		"tag.a.b-c_1 = 'it''s, or \"so\"',tag.x=\"older than 2h\"": {
			Tags: map[string]string{"a.b-c_1": `it's, or "so"`, "x": "older than 2h"}},
		"id=a*b":      {Run: "a*b"},
		"id='pr-*'":   {Run: "pr-*"},
		"machine='A'": {Machine: "A"},
	} {
		got, err := ParseWhere(text, now)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"":                        "it has no term",
		" , and ":                 "it has no term",
		"Order":                   `"Order" is no term`,
		"machine=":                `"machine=" is no term`,
		"machine=A machine=B":     `"machine" is said twice`,
		"sate=A":                  `did you mean "state"?`,
		"status=hlated":           `did you mean "halted"?`,
		"status=success":          "did you mean outcome=success?",
		"outcome=won":             "outcome is one of success, failure, cancelled",
		"older than soon":         `"soon" is no age`,
		"older than 5000w":        `"5000w" is too long an age`,
		"older than 99999999h":    `"99999999h" is too long an age`,
		"older than -2h":          "is no age",
		"machine=A or machine=B":  `"or" is no term`,
		"machine=A older than":    "is no term",
		"state=A=B status=halted": "",
		"id=*":                    "every run",
		"tag.=v":                  "is no name of a tag",
		"tag.Team=v":              "is no name of a tag",
		"tag.team=":               `"tag.team=" is no term`,
		"tag.team=''":             "is no term",
		"tag.team='a":             "has no second '",
		"tag.team='a'b":           "a blank or a comma is missing",
		"tag.t=a, tag.t=b":        `"tag.t" is said twice`,
		"machine>A":               `"machine" is no term`,
		"=A":                      `"=A" is no term`,
	} {
		_, err := ParseWhere(text, now)
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", text, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestParseAge(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0s": 0, "90s": 90 * time.Second, "30d": 720 * time.Hour, "2w": 336 * time.Hour,
		"1w1d1h": 193 * time.Hour, "0d": 0,
	} {
		if got, err := ParseAge(text); err != nil || got != want {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "1", "-1h", "1d-1h", "-1d", "1h1d", "9999w", "1d2", "1.5d", "1d1w", "h", "2540400h90000000h"} {
		if got, err := ParseAge(text); err == nil {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func FuzzParseWhere(f *testing.F) {
	f.Add("machine=Order, state=A.B and older than 2h")
	f.Add("older than 1w2d")
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := ParseWhere(text, now)
		if err == nil && reflect.ValueOf(filter).IsZero() {
			t.Errorf("%q asks for every run", text)
		}
		if filter.StartedTo.After(now) {
			t.Errorf("%q asks for runs that start later", text)
		}
	})
}
