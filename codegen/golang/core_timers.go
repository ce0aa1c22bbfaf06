package golang

import (
	"fmt"
	"strings"
)

func (c *corePrinter) timers() {
	c.t(`// timerCommands are the difference between the timers before and after a step.
func (t *@MStepper) timerCommands(s *@MSnapshot, state @MState, due *[` + fmt.Sprint(c.plan.alarms) + `]@MStepTime) {
	for i, timer := range @mAlarms[state] {
		if due[i] != 0 && s.Timer(i) != timer {
			t.Commands = append(t.Commands, @MStepCommand{Kind: @MCommandDropTimer, Timer: timer})
		}
	}
	for i, timer := range @mAlarms[s.State] {
		if s.Due[i] != 0 && (due[i] != s.Due[i] || @mAlarms[state][i] != timer) {
			t.Commands = append(t.Commands, @MStepCommand{Kind: @MCommandSetTimer, Timer: timer, Due: s.Due[i]})
		}
	}
}

// place is where a timer runs, or -1.
func (s *@MSnapshot) place(timer @MTimerName) int {
	for i := range s.Due {
		if timer != 0 && s.Timer(i) == timer {
			return i
		}
	}
	return -1
}
`)
	if !c.plan.idle {
		return
	}
	p := c.p
	c.t(`// restartIdle starts the idle timers anew.
func (t *@MStepper) restartIdle(s *@MSnapshot) {
	for i := range s.Idle {
		if s.Due[i] == 0 || s.Idle[i] == 0 {
			continue
		}
		wait := s.Idle[i]`)
	var jittered strings.Builder
	for _, timer := range c.m.src.Timers {
		if timer.Idle && hasJitter(timer) {
			fmt.Fprintf(&jittered, "case %s:\nwait = %s\n", c.plan.Timers[timer.ID].Name, c.lengthened(timer, "wait"))
		}
	}
	if jittered.Len() > 0 {
		p.f("switch s.Timer(i) {\n%s}", jittered.String())
	}
	c.t(`		if due := t.now + @MStepTime((wait-1)/time.Microsecond) + 1; due <= @mLast {
			s.Due[i] = due
		}
	}
}
`)
}
