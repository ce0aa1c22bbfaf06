package process

import "io"

// speech is the standard error of a process that makes attempts: of the one that is under
// way, or where there is none or several, what all processes say.
type speech struct{ of *worker }

func (s speech) Write(p []byte) (int, error) {
	if to := s.of.speaker(); to != nil {
		return to.Write(p)
	}
	return s.of.tell.Write(p)
}

// speaker takes what is said of the only call under way, and is nil where that is no
// attempt, or not the only one.
func (w *worker) speaker() (to io.Writer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.calls) == 1 {
		for _, c := range w.calls {
			to = c.stderr
		}
	}
	return to
}
