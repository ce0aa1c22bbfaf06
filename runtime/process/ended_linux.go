package process

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ended reports whether all members have ended, as far as that can be seen. One
// that came up meanwhile may be missed.
func (g group) ended() bool {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	seen := false
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has just gone
		}
		// "12 (a name) Z 1 11 …": the state, the parent, the group.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) < 3 || fields[2] != strconv.Itoa(g.id) {
			continue
		}
		if fields[0] != "Z" && fields[0] != "X" {
			return false
		}
		seen = true
	}
	return seen
}
