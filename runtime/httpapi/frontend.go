package httpapi

import (
	"context"
	"encoding/json"

	"github.com/fsmc-dev/fsmc/runtime"
)

// FrontEnd is what only a program with the compiler knows. Without one these members of
// answers are absent, and the routes that need it answer 501.
type FrontEnd interface {
	// WorstCase is that of a version, as fsmc check --format json has it; nil for none.
	WorstCase(ctx context.Context, v *runtime.Version) json.RawMessage
	// Diagram draws a version as SVG.
	Diagram(ctx context.Context, v *runtime.Version, p Picture) ([]byte, error)
	// Compile compiles a source text; name picks a machine where there are several, and may
	// be empty. The error says what is wrong with the text.
	Compile(ctx context.Context, source, name string) (*runtime.Machine, error)
}

// Picture is how a machine is drawn.
type Picture struct {
	Compact bool
	Theme   string // "light", "dark" or "auto"

	// Of a run: its steps so far, oldest first, and where it is; nil of a machine.
	Run   *runtime.View
	Steps []runtime.StepView

	// Of a machine with counts: its states; nil where they are not asked for.
	Counts []runtime.StateStats
}
