package golang

// settle writes the loop of steps that follow at once.
func (c *corePrinter) settle() {
	kept, count := "", "steps++"
	if c.plan.deferred {
		kept = " && in.Kind != @MInputKept"
		count = "if in.Kind != @MInputKept {\nsteps++ // of those there is an end in any case\n}"
	}
	c.t(`// Settle takes, at the time now, every input that the run must take before any
// new one; Commands are those of all these steps, in order. A run that does not
// come to rest within 1000 steps, deferred events aside, is halted. An error
// leaves s where the last step left it.
func (t *@MStepper) Settle(s *@MSnapshot, now time.Time) error {
	t.clear()
	for steps := 0; ; {
		in, ok := s.Next(now)
		if !ok {
			return nil
		}
		if steps == 1000` + kept + ` {
			t.begin(s, now)
			t.fail("more steps follow at once than are allowed")
			return t.undoRun(s, &in)
		}
		if err := t.step(s, &in, now); err != nil {
			return err
		}
		` + count + `
	}
}
`)
}

// next writes what a run must take before any new input.
func (c *corePrinter) next() {
	timers, kept, now := "", "", "_"
	if c.plan.alarms > 0 {
		now = "now"
		timers = `
	if s.Status == @MRunStatusRunning {
		at, place := max(@MStepTimeOf(now), s.Now), -1
		for i, due := range s.Due {
			switch {
			case due == 0 || due > at:
			case place < 0, due < s.Due[place],
				due == s.Due[place] && @mTimerRank[s.Timer(i)] < @mTimerRank[s.Timer(place)]:
				place = i
			}
		}
		if place >= 0 {
			return @MStepInput{Kind: @MInputTimer, Timer: s.Timer(place)}, true
		}
	}`
	}
	if c.plan.deferred {
		kept = `
	if s.KeptNext < len(s.Kept) {
		return s.Kept[s.KeptNext], true
	}`
	}
	halted := ""
	if timers+kept != "" {
		halted = "\n\tif s.Status == @MRunStatusNotStarted || s.Status == @MRunStatusHalted {\n\t\treturn @MStepInput{}, false\n\t}"
	}
	c.t(`// Next is the input that the run must take before any new one: done, then the
// timers that are due at now, earliest first, of equals the inner first and then
// by name, then deferred events that have not been looked at in this state.
func (s *@MSnapshot) Next(` + now + ` time.Time) (in @MStepInput, ok bool) {` + halted + `
	if s.Status == @MRunStatusRunning && s.DoneDue {
		return @MStepInput{Kind: @MInputDone}, true
	}` + timers + kept + `
	return @MStepInput{}, false
}
`)
}
