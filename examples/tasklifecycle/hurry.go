package main

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	compiler "github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// The clock of a database does not hurry. So that a swarm of several processes lives for half an
// hour within half a minute, its machine has all times divided, and what lies outside has a
// clock that is as much faster.

var durationText = regexp.MustCompile(`\b(\d+)(s|m|h|d)\b`)

// hurried is the text of the machine with all times divided.
func hurried(times int) string {
	units := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
	return durationText.ReplaceAllStringFunc(taskLifecycleSource, func(text string) string {
		part := durationText.FindStringSubmatch(text)
		n, err := strconv.Atoi(part[1])
		if err != nil {
			return text
		}
		return fmt.Sprintf("%dms", (time.Duration(n) * units[part[2]] / time.Duration(times)).Milliseconds())
	})
}

// compiled is the machine of a text.
func compiled(source string) (*runtime.Machine, error) {
	unit := lang.Load([]lang.Source{{Name: "tasklifecycle.fsm", Src: []byte(source)}})
	if unit.Diags.HasErrors() {
		return nil, fmt.Errorf("the machine with its times divided: %v", unit.Diags)
	}
	return machine.Compile(compiler.Compile(unit.Program.Machines[0]))
}

// hurry has this process register the machine with all times divided.
func hurry(times int) error {
	source := hurried(times)
	m, err := compiled(source)
	if err == nil {
		taskLifecycleSource, TaskLifecycleMachine = source, func() *runtime.Machine { return m }
	}
	return err
}

// fastClock is a clock that is some times faster than that of the host.
type fastClock struct {
	from  time.Time // when it showed the same
	times time.Duration
}

func (c fastClock) Now() time.Time { return c.from.Add(time.Since(c.from) * c.times) }

func (c fastClock) NewTimer(due time.Time) runtime.ClockTimer {
	return runtime.SystemClock().NewTimer(c.from.Add(due.Sub(c.from) / c.times))
}
