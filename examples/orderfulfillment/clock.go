package main

import (
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// speed is how much faster the story's time passes: a retry after four seconds
// is waited for in less than one.
const speed = 5

// storyClock is the time of the story: it stood at start when the clock on the
// wall stood at origin. So a month passes between two chapters while nothing
// runs, and all processes of a chapter agree on the time.
type storyClock struct{ origin, start time.Time }

var _ runtime.Clock = storyClock{}

// Now is the time of the story.
func (c storyClock) Now() time.Time { return c.start.Add(time.Since(c.origin) * speed) }

// NewTimer waits until due by the clock of the story.
func (c storyClock) NewTimer(due time.Time) runtime.ClockTimer {
	return runtime.SystemClock().NewTimer(c.origin.Add(due.Sub(c.start) / speed))
}

// String and Set hand the clock to a worker process.
func (c *storyClock) String() string {
	return fmt.Sprintf("%d/%d", c.origin.UnixMicro(), c.start.UnixMicro())
}

// Set reads what String has written.
func (c *storyClock) Set(text string) error {
	var origin, start int64
	if _, err := fmt.Sscanf(text, "%d/%d", &origin, &start); err != nil {
		return err
	}
	c.origin, c.start = time.UnixMicro(origin), time.UnixMicro(start)
	return nil
}
