package sqlite

import (
	"fmt"
	"time"
)

// HeldError is the error of Move while workers hold attempts: it has how many, and until when.
type HeldError struct {
	Attempts int
	Until    time.Time
}

func (e *HeldError) Error() string {
	what := fmt.Sprintf("workers hold %d attempts", e.Attempts)
	if e.Attempts == 1 {
		what = "a worker holds an attempt"
	}
	return what + " until " + e.Until.UTC().Format(time.RFC3339) + ": end all workers, and wait until then if they were killed"
}
