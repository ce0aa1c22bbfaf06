// Package formats lists the formats that machines are read from and written to.
package formats

import (
	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/codegen/foreign/asl"
)

// Sources are the formats that are read.
var Sources = []foreign.Source{asl.Source}
