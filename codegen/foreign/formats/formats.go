// Package formats lists the formats that machines are read from and written to.
package formats

import (
	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/codegen/foreign/asl"
	"github.com/fsmc-dev/fsmc/codegen/foreign/asl/definition"
	"github.com/fsmc-dev/fsmc/codegen/foreign/scxml"
	"github.com/fsmc-dev/fsmc/codegen/foreign/xstate"
)

// Sources are the formats that are read.
var Sources = []foreign.Source{asl.Source, xstate.Source, scxml.Source}

// Targets are the formats that are written.
var Targets = []foreign.Target{definition.Target, xstate.Target, scxml.Target}
