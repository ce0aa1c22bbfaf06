package machine

// SetNewest lets there be more versions of the step, until the function that it gives is called.
func SetNewest(version int) (reset func()) {
	newest = version
	return func() { newest = Semantics }
}

// DelayText is how long a timer runs, in words.
func DelayText(m *Machine, timer int) string { return m.delayText(&m.def.Timers[timer]) }

// KeysOf is what the keys of a run begin with.
func KeysOf(s *Snapshot) string { return s.keys() }

// AttemptsOf is the most that a visit of a leaf gives to an execution of its first do.
func AttemptsOf(m *Machine, leaf string) int64 { return m.attempts(m.index.states.index[leaf], 0) }

// InQueue reports whether an attempt has returned while its run was paused.
func InQueue(s *Snapshot, t *Task) bool { return s.inQueue(t) }
