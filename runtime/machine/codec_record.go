package machine

import (
	"encoding/json"
	"errors"
)

// EncodeRecord writes r as canonical JSON.
func (m *Machine) EncodeRecord(r *Record) json.RawMessage {
	return encoded(m, func(c *coder) { m.codeRecord(c, r) })
}

// DecodeRecord reads what EncodeRecord has written.
func (m *Machine) DecodeRecord(data json.RawMessage) (*Record, error) {
	r := &Record{From: -1, To: -1, Arm: -1}
	err := m.decode(data, func(c *coder) { m.codeRecord(c, r) })
	if err == nil && (r.To < 0 || r.Input.Kind == "" || r.Seq == 0) {
		err = errors.New("a member is missing")
	}
	if err == nil {
		err = r.Cause.check()
	}
	if err != nil {
		return nil, damaged("record", err)
	}
	return r, nil
}

func (m *Machine) codeRecord(c *coder, r *Record) {
	c.object(func() {
		number(c, "seq", &r.Seq)
		c.time("at", &r.At)
		if c.begins("input", true) {
			m.codeInput(c, &r.Input)
			c.ends()
		}
		c.ref("from", &m.index.states, &r.From)
		c.ref("to", &m.index.states, &r.To)
		number(c, "visit", &r.Visit)
		c.text("effect", (*string)(&r.Effect))
		c.ref("arm", &m.index.arms, &r.Arm)
		number(c, "count", &r.Count)
		list(c, "passed", &r.Passed, func(p *Passed) { m.codePassed(c, p) })
		list(c, "verdicts", &r.Verdicts, func(v *Verdict) { m.codeVerdict(c, v) })
		list(c, "redirects", &r.Redirects, func(s *int) { c.refer(&m.index.states, s) })
		c.duration("wait", &r.Wait)
		c.duration("held", &r.Held)
		if r.To >= 0 && len(m.states[r.To].returned) > 0 && (c.in != nil || len(r.Returns) > 0) {
			c.fields("returns", m.states[r.To].returned, &r.Returns)
		}
		c.cause(&r.Cause)
	})
}

func (m *Machine) codePassed(c *coder, p *Passed) {
	c.none(&p.Arm)
	c.object(func() {
		c.ref("arm", &m.index.arms, &p.Arm)
		c.text("why", (*string)(&p.Why))
	})
	if c.reads() && p.Arm < 0 {
		c.err = errors.New("an arm is missing")
	}
}

func (m *Machine) codeVerdict(c *coder, v *Verdict) {
	c.none(&v.Guard)
	c.object(func() {
		c.ref("guard", &m.index.guards, &v.Guard)
		if v.Guard >= 0 { // args stand behind guard
			c.fields("args", m.def.Guards[v.Guard].Params, &v.Args)
		}
		if c.begins("answer", true) {
			c.bool(&v.Answer)
			c.ends()
		}
	})
	if c.reads() && (v.Guard < 0 || len(v.Args) != len(m.def.Guards[v.Guard].Params)) {
		c.err = errors.New("a verdict is incomplete")
	}
}

// cause has the members of a cause, which stand among those of what it belongs to. A nil cause has none.
func (c *coder) cause(to **Cause) {
	cause, at := *to, 0
	if cause == nil {
		if c.in == nil || c.key == nil {
			return
		}
		cause, at = new(Cause), c.in.pos
	}
	c.text("code", (*string)(&cause.Code))
	c.text("place", &cause.Place.Part)
	c.text("of", &cause.Place.Name)
	c.texts("args", &cause.Args)
	c.text("reason", &cause.Said)
	if c.in != nil && c.in.pos != at {
		*to = cause
	}
}

// Members that inputs of some kinds have alone.
const (
	ofAttempt = 1 << iota
	ofEvent
	ofFailure
	ofNote // of a failure, too
)

func (in *Input) members() int {
	switch in.Kind {
	case EventInput, KeptInput:
		return ofEvent
	case ResultInput:
		return ofAttempt | ofEvent
	case FailureInput:
		return ofAttempt | ofFailure | ofNote
	case LateInput, LostInput, ReturnInput, BeginInput, SpentInput:
		return ofAttempt | ofNote
	case ToldInput:
		if in.Key != "" {
			return ofAttempt
		}
	}
	return 0
}

func (m *Machine) encodeInput(in *Input) json.RawMessage {
	return encoded(m, func(c *coder) { m.codeInput(c, in) })
}

// codeInput writes what an input of its kind has. It reads what inputs of other kinds have, too.
func (m *Machine) codeInput(c *coder, in *Input) {
	if c.in != nil {
		*in = Input{Event: -1, Do: -1, Category: -1, Timer: -1}
	}
	c.object(func() {
		c.text("kind", (*string)(&in.Kind))
		m.codeOfKind(c, in)
		if c.begins("from", in.Migration != nil && in.Migration.From != "") {
			if c.in != nil {
				in.Migration = new(Migration)
			}
			c.string(&in.Migration.From)
			c.ends()
		}
		if in.Migration != nil && c.begins("snapshot", true) { // behind from
			if c.in == nil {
				c.b = append(c.b, in.Migration.Snapshot...)
			} else {
				in.Migration.Snapshot, c.err = c.in.appendRaw(nil)
			}
			c.ends()
		}
		c.text("worker", &in.Worker)
		c.duration("took", &in.Took)
		c.costs("cost", &in.Cost)
		c.costs("below", &in.Below)
		list(c, "uncounted", &in.Uncounted, c.cost)
		c.truth("queued", &in.Queued)
		c.text("id", &in.ID)
		c.text("actor", &in.Actor)
		c.text("reason", &in.Reason)
	})
	if c.reads() {
		c.err = m.checkInput(in)
	}
}

// codeOfKind is what inputs of some kinds have alone.
func (m *Machine) codeOfKind(c *coder, in *Input) {
	has := in.members()
	if c.in != nil {
		has = ^0
	}
	is := func(kind InputKind) bool { return c.in != nil || in.Kind == kind }
	if in.Kind == StartInput {
		c.fields("data", m.def.Params, &in.Data)
	}
	if is(StartInput) {
		c.text("token", &in.Token)
		c.semantics(&in.Semantics)
		c.texts("above", &in.Above)
	}
	if has&ofAttempt != 0 {
		c.ref("do", &m.index.dos, &in.Do)
		if c.begins("index", in.Do >= 0 && m.dos[in.Do].Fan != nil) {
			count(c, &in.Index)
			c.ends()
		}
		c.text("key", &in.Key)
		number(c, "attempt", &in.Attempt)
	}
	if has&ofEvent != 0 {
		c.ref("event", &m.index.events, &in.Event)
		if in.Event >= 0 && in.Kind != StartInput {
			c.fields("data", m.def.Events[in.Event].Fields, &in.Data)
		}
	}
	if has&ofFailure != 0 {
		c.ref("category", &m.index.categories, &in.Category)
	}
	if has&ofNote != 0 {
		c.text("message", &in.Message)
	}
	if has&ofFailure != 0 {
		c.text("stderr", &in.Stderr)
	}
	if has&ofNote != 0 {
		c.truth("checkpoint", &in.Checkpoint)
	}
	if is(TimerInput) {
		c.ref("timer", &m.index.timers, &in.Timer)
	}
	if is(ProgressInput) {
		c.time("since", &in.Since)
	}
	if is(CancelInput) {
		c.truth("force", &in.Force)
	}
	if is(RetryInput) {
		if c.in != nil || in.State > 0 {
			c.ref("state", &m.index.states, &in.State)
		}
		c.truth("allow", &in.Allow)
	}
	if is(OverBudgetInput) {
		c.text("over", &in.Over)
	}
}
