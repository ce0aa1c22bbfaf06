package describe

import (
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// When is a time as people read it at now, in their zone: without the date
// where it is today's.
func When(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if Day(t) == Day(now) {
		return t.Format(time.TimeOnly)
	}
	return t.Format("2006-01-02 15:04")
}

// Day is the day of a time.
func Day(t time.Time) string { return t.Format(time.DateOnly) }

// Ago is how long ago something was.
func Ago(t, now time.Time) string {
	if d := now.Sub(t); d >= time.Second {
		return Short(d) + " ago"
	}
	return "just now"
}

// Short is d to two figures that people take in: "1h5m", "12.3s", "7ms".
func Short(d time.Duration) string {
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
	return machine.DurationSource(d)
}

// Duration is a duration of the runtime's JSON for people; empty for none.
func Duration(text string) string {
	d, err := time.ParseDuration(text)
	if err != nil {
		return ""
	}
	return Short(d)
}
