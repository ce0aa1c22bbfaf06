package httpapi

import (
	"context"
	"encoding/json"

	"github.com/fsmc-dev/fsmc/runtime"
)

// FrontEnd is what only a program with the compiler knows. Without one these members of
// answers are absent, and the routes that need it answer 501.
type FrontEnd interface {
	// Describe says of a version what its source tells beside the definition.
	Describe(ctx context.Context, v *runtime.Version) (Description, error)
	// Diagram draws a version as SVG.
	Diagram(ctx context.Context, v *runtime.Version, p Picture) ([]byte, error)
	// Compile compiles a source text; name picks a machine where there are several, and may
	// be empty. The error says what is wrong with the text.
	Compile(ctx context.Context, source, name string) (*runtime.Machine, error)
}

// Description is what FrontEnd.Describe says.
type Description struct {
	Bounds json.RawMessage // as fsmc check --format json has them; nil for none
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
