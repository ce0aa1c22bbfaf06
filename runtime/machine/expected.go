package machine

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Expected refuses an input, before a step takes it, where the run has not the sequence number that its sender
// expects, which is 0 for any, or where it does not say in good words who sends it and why. The
// error is a *Rejected.
func (m *Machine) Expected(s *Snapshot, in *Input, ifSeq int64) error {
	if why := BadNote(in.Actor, in.Reason); why != "" {
		return m.Reject(s, in, why, nil)
	}
	if ifSeq == 0 || s.Seq == ifSeq {
		return nil
	}
	steps := "steps"
	if s.Seq == 1 {
		steps = "step"
	}
	return m.Reject(s, in, fmt.Sprintf("the run has taken %d %s, not %d", s.Seq, steps, ifSeq), ErrConflict)
}

// BadNote says what is wrong with who did something, or why, or nothing.
func BadNote(actor, reason string) string {
	for _, note := range []struct{ name, text string }{{"actor", actor}, {"reason", reason}} {
		if !utf8.ValidString(note.text) {
			return fmt.Sprintf("its %s is not valid UTF-8", note.name)
		}
		if len(note.text) > MaxNote {
			return fmt.Sprintf("its %s has %d bytes, more than the %d that are allowed", note.name, len(note.text), MaxNote)
		}
	}
	return ""
}

// MaxRunID is the most bytes that the id of a run, or of an event, may have.
const MaxRunID = 200

// BadID says why an id of a run or of an event is none, or nothing.
func BadID(id string) string {
	switch {
	case len(id) > MaxRunID:
		return fmt.Sprintf("has at most %d bytes", MaxRunID)
	case !utf8.ValidString(id):
		return "is valid UTF-8"
	case strings.ContainsFunc(id, unicode.IsControl):
		return "has no control characters"
	case id != "" && strings.TrimSpace(id) == "":
		return "is not blank"
	}
	return ""
}
