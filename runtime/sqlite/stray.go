package sqlite

import "github.com/fsmc-dev/fsmc/runtime/store"

// Stray is a run of which history has more records than it has taken steps.
type Stray = store.Stray
