//go:build !failpoint || !unix

package failpoint

// Enabled says whether Hit can kill.
const Enabled = false

// Hit does nothing.
func Hit(Site) {}
