package cli

import (
	"time"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// when is a time as people read it at now, in their zone: without the date
// where it is today's.
func when(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if day(t) == day(now) {
		return t.Format(time.TimeOnly)
	}
	return t.Format("2006-01-02 15:04")
}

func day(t time.Time) string { return t.Format(time.DateOnly) }

// ago is how long ago something was.
func ago(t, now time.Time) string {
	if d := now.Sub(t); d >= time.Second {
		return short(d) + " ago"
	}
	return "just now"
}

// short is d to two figures that people take in: "1h5m", "12.3s", "7ms".
func short(d time.Duration) string {
	switch {
	case d >= time.Hour:
		d = d.Truncate(time.Minute)
	case d >= time.Minute:
		d = d.Truncate(time.Second)
	case d >= time.Second:
		d = d.Truncate(100 * time.Millisecond)
	case d >= time.Millisecond:
		d = d.Truncate(time.Millisecond)
	}
	return ir.FormatDuration(int64(d))
}
