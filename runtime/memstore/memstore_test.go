package memstore_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) runtime.Store { return memstore.New() })
}
