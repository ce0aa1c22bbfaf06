package ir

import (
	"math/big"
	"testing"
	"time"
)

func TestFormatDuration(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0s": 0, "24h": 24 * time.Hour, "1m30s": 90 * time.Second, "1h0m5s": time.Hour + 5*time.Second,
		"10m": 10 * time.Minute, "1.5us": 1500, "7ns": 7, "-1h30m": -90 * time.Minute, "1.5s": 1500 * time.Millisecond,
	} {
		if got := FormatDuration(int64(d)); got != want {
			t.Errorf("%d: %s, want %s", d, got, want)
		}
	}
}

func TestExported(t *testing.T) {
	for name, want := range map[string]string{
		"fetch_diff": "FetchDiff", "fetchDiff": "FetchDiff", "FetchDiff": "FetchDiff", "Fetch_Diff": "FetchDiff",
		"_x": "X", "x_": "X", "a1": "A1", "a_1": "A1", "_": "", "": "",
	} {
		if got := Exported(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestBackoffText(t *testing.T) {
	second, minute := int64(time.Second), int64(time.Minute)
	for _, c := range []struct {
		b    Backoff
		want string
	}{
		{Backoff{First: second, Last: minute, Factor: UsualFactor, Jitter: UsualJitter}, ""},
		{Backoff{First: second, Last: second, Factor: UsualFactor, Jitter: UsualJitter}, " backoff 1s"},
		{Backoff{First: second, Last: minute, Factor: big.NewRat(3, 2), Jitter: new(big.Rat)}, " backoff 1s..1m factor 1.5 jitter 0"},
		{Backoff{By: &VarRef{Var: &Var{Slot: Slot{Name: "wait"}}}}, " backoff by wait"},
	} {
		if got := c.b.text(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
