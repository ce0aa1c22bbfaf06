package temporal

import (
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Supported is nil where this engine can run the machine, but for those that it calls; else the error names
// the first thing that it cannot do yet.
func Supported(d *machine.Definition) error {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("machine %q does not run on Temporal yet: %s; the other engines run it", d.Name, fmt.Sprintf(format, args...))
	}
	for i := range d.Activities {
		if d.Activities[i].Limit != nil {
			return refuse("the activity %q has a limit for all runs together, which neither the rate of a task queue nor the slots of a worker keep",
				d.Activities[i].Name)
		}
	}
	return nil
}
