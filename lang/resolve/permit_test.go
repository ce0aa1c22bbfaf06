package resolve_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// TestPermits: what allows a change is no suppression of a finding, and the reverse.
func TestPermits(t *testing.T) {
	const src = `//fsmc:allow-breaking event-removed because it was never sent
machine M {
    //fsmc:allow never-read because a person reads it
    context { n int = 0 }
    initial Done
    terminal Done
}
`
	m := langtest.Machine(t, src)
	if len(m.Permits) != 1 || m.Permits[0].Rule != "event-removed" || m.Permits[0].Reason != "it was never sent" {
		t.Errorf("it permits %+v", m.Permits)
	}
	if len(m.Allows) != 1 || m.Allows[0].Rule != "never-read" {
		t.Errorf("it allows %+v", m.Allows)
	}
	if covers := m.Permits[0].Covers; !covers.Contains(m.Body.Start) || !covers.Contains(m.States[1].Span.Start) {
		t.Errorf("what stands above the machine covers %v, and not the machine and what is in it", covers)
	}
}
