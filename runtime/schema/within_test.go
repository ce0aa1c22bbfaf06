package schema_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/schema"
)

// TestRecordsThatMayBeAbsent: one that is there has all that it always has.
func TestRecordsThatMayBeAbsent(t *testing.T) {
	text := machine.Type{Kind: machine.String}
	s := schema.Object(&machine.Definition{}, []machine.Field{
		{Name: "id", Type: text},
		{Name: "to.street", Type: text, Optional: true, Within: []string{"to"}},
		{Name: "to.geo.lat", Type: text, Optional: true, Within: []string{"to", "to.geo"}},
		{Name: "to.unit", Type: text, Optional: true, Within: []string{"to", "to.unit"}},
	})
	to := s.Properties[1].Schema
	for _, c := range []struct{ got, want []string }{
		{s.Required, []string{"id"}}, {to.Required, []string{"street"}}, {to.Properties[1].Schema.Required, []string{"lat"}},
	} {
		if !slices.Equal(c.got, c.want) {
			text, _ := json.Marshal(s)
			t.Errorf("required %v, want %v: %s", c.got, c.want, text)
		}
	}
}
