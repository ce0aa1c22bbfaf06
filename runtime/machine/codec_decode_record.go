package machine

import (
	"encoding/json"
	"errors"
	"fmt"
)

// scanInput reads what appendInput has written.
func (m *Machine) scanInput(sc *scanner, in *Input) error {
	*in = Input{Event: -1, Do: -1, Category: -1, Timer: -1}
	if err := sc.object(func(key string) error { return m.inputMember(sc, in, key) }); err != nil {
		return err
	}
	return m.checkInput(in)
}

func (m *Machine) inputMember(sc *scanner, in *Input, key string) error {
	switch key {
	case "kind":
		return sc.textInto((*string)(&in.Kind))
	case "event":
		return sc.lookup("event", m.index.events, &in.Event)
	case "data": // stands behind kind and event
		switch {
		case in.Kind == StartInput:
			return m.allFields(sc, m.def.Params, &in.Data)
		case in.Event >= 0:
			return m.allFields(sc, m.def.Events[in.Event].Fields, &in.Data)
		}
	case "above":
		return each(sc, &in.Above, sc.textInto)
	case "token":
		return sc.textInto(&in.Token)
	case "semantics":
		return semanticsInto(sc, &in.Semantics)
	case "do":
		return sc.lookup("do", m.index.dos, &in.Do)
	case "index":
		return countInto(sc, &in.Index)
	case "key":
		return sc.textInto(&in.Key)
	case "attempt":
		return countInto(sc, &in.Attempt)
	case "category":
		return sc.lookup("category", m.index.categories, &in.Category)
	case "message":
		return sc.textInto(&in.Message)
	case "stderr":
		return sc.textInto(&in.Stderr)
	case "checkpoint":
		return sc.truthInto(&in.Checkpoint)
	case "timer":
		return sc.lookup("timer", m.index.timers, &in.Timer)
	case "from":
		in.Migration = new(Migration)
		return sc.textInto(&in.Migration.From)
	case "snapshot": // stands behind from
		if in.Migration == nil {
			break
		}
		text, err := sc.raw()
		in.Migration.Snapshot = json.RawMessage(text)
		return err
	case "since":
		return sc.timeInto(&in.Since)
	case "over":
		return sc.textInto(&in.Over)
	case "allow":
		return sc.truthInto(&in.Allow)
	case "force":
		return sc.truthInto(&in.Force)
	case "state":
		return sc.lookup("state", m.index.states, &in.State)
	case "worker":
		return sc.textInto(&in.Worker)
	case "took":
		return sc.durationInto(&in.Took)
	case "cost":
		return each(sc, &in.Cost, sc.costInto)
	case "below":
		return each(sc, &in.Below, sc.costInto)
	case "uncounted":
		return each(sc, &in.Uncounted, sc.uncountedInto)
	case "queued":
		return sc.truthInto(&in.Queued)
	case "id":
		return sc.textInto(&in.ID)
	case "actor":
		return sc.textInto(&in.Actor)
	case "reason":
		return sc.textInto(&in.Reason)
	}
	return unknownKey(key)
}

// DecodeRecord reads what EncodeRecord has written.
func (m *Machine) DecodeRecord(data json.RawMessage) (*Record, error) {
	sc := &scanner{data: data, stored: true}
	r := &Record{From: -1, To: -1, Arm: -1}
	err := sc.object(func(key string) error { return m.recordMember(sc, r, key) })
	if err == nil {
		err = sc.end()
	}
	if err == nil && (r.To < 0 || r.Input.Kind == "" || r.Seq == 0) {
		err = fmt.Errorf("a member is missing")
	}
	if err == nil {
		err = r.Cause.check()
	}
	if errors.Is(err, ErrNewer) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("the record is damaged: %w", err)
	}
	return r, nil
}

func (m *Machine) recordMember(sc *scanner, r *Record, key string) error {
	switch key {
	case "seq":
		return countInto(sc, &r.Seq)
	case "at":
		return sc.timeInto(&r.At)
	case "input":
		return m.scanInput(sc, &r.Input)
	case "from":
		return sc.lookup("state", m.index.states, &r.From)
	case "to":
		return sc.lookup("state", m.index.states, &r.To)
	case "visit":
		return countInto(sc, &r.Visit)
	case "effect":
		return sc.textInto((*string)(&r.Effect))
	case "arm":
		return sc.lookup("arm", m.index.arms, &r.Arm)
	case "count":
		return countInto(sc, &r.Count)
	case "passed":
		return each(sc, &r.Passed, func(p *Passed) error { return m.scanPassed(sc, p) })
	case "verdicts":
		return each(sc, &r.Verdicts, func(v *Verdict) error { return m.scanVerdict(sc, v) })
	case "redirects":
		return each(sc, &r.Redirects, func(s *int) error { return sc.lookup("state", m.index.states, s) })
	case "wait":
		return sc.durationInto(&r.Wait)
	case "held":
		return sc.durationInto(&r.Held)
	case "returns": // stands behind to
		if r.To >= 0 && len(m.states[r.To].returned) > 0 {
			return m.allFields(sc, m.states[r.To].returned, &r.Returns)
		}
	}
	return causeMember(sc, &r.Cause, key)
}

func (m *Machine) scanPassed(sc *scanner, p *Passed) error {
	p.Arm = -1
	err := sc.object(func(key string) error {
		switch key {
		case "arm":
			return sc.lookup("arm", m.index.arms, &p.Arm)
		case "why":
			return sc.textInto((*string)(&p.Why))
		}
		return unknownKey(key)
	})
	if err == nil && p.Arm < 0 {
		err = fmt.Errorf("an arm is missing")
	}
	return err
}

func (m *Machine) scanVerdict(sc *scanner, v *Verdict) error {
	v.Guard = -1
	err := sc.object(func(key string) error {
		switch {
		case key == "guard":
			return sc.lookup("guard", m.index.guards, &v.Guard)
		case key == "args" && v.Guard >= 0:
			return m.allFields(sc, m.def.Guards[v.Guard].Params, &v.Args)
		case key == "answer":
			return sc.truthInto(&v.Answer)
		}
		return unknownKey(key)
	})
	if err == nil && (v.Guard < 0 || len(v.Args) != len(m.def.Guards[v.Guard].Params)) {
		err = fmt.Errorf("a verdict is incomplete")
	}
	return err
}
