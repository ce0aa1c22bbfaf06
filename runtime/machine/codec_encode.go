package machine

import (
	"bytes"
	"encoding/json"
	"strconv"
	"sync"
	"time"
)

// Snapshots, inputs and records are written by hand: in one order, by the names
// of the definition, leaving out what is empty. They are read back strictly, so
// that writing what was read gives the same bytes.

// object writes one JSON object, member by member.
type object struct {
	b    []byte
	more bool
}

func (o *object) open() *object {
	o.b, o.more = append(o.b, '{'), false
	return o
}

func (o *object) close() []byte { return append(o.b, '}') }

func (o *object) key(name string) {
	if o.more {
		o.b = append(o.b, ',')
	}
	o.more = true
	o.b = append(o.b, '"')
	o.b = append(o.b, name...)
	o.b = append(o.b, '"', ':')
}

// text leaves the empty string out.
func (o *object) text(name, value string) {
	if value != "" {
		o.key(name)
		o.b = appendText(o.b, value)
	}
}

// number leaves 0 out.
func (o *object) number(name string, n int64) {
	if n != 0 {
		o.key(name)
		o.b = strconv.AppendInt(o.b, n, 10)
	}
}

// truth leaves false out.
func (o *object) truth(name string, b bool) {
	if b {
		o.key(name)
		o.b = append(o.b, "true"...)
	}
}

// time leaves the zero time out.
func (o *object) time(name string, t time.Time) {
	if !t.IsZero() {
		o.key(name)
		o.b = appendTime(o.b, t)
	}
}

// duration leaves 0 out.
func (o *object) duration(name string, d time.Duration) {
	if d != 0 {
		o.text(name, d.String())
	}
}

// fields leaves an object without members out.
func (o *object) fields(name string, fields []Field, values []Value) {
	if len(fields) > 0 {
		o.key(name)
		o.b = appendFields(o.b, fields, values)
	}
}

// list leaves the empty list out; item appends the i-th.
func (o *object) list(name string, n int, item func(b []byte, i int) []byte) {
	if n == 0 {
		return
	}
	o.key(name)
	o.b = append(o.b, '[')
	for i := range n {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.b = item(o.b, i)
	}
	o.b = append(o.b, ']')
}

// costs leaves the empty list out.
func (o *object) names(name string, list []string) {
	o.list(name, len(list), func(b []byte, i int) []byte { return appendText(b, list[i]) })
}

func (o *object) costs(name string, costs []Cost) {
	o.list(name, len(costs), func(b []byte, i int) []byte {
		c := (&object{b: b}).open()
		c.text("name", costs[i].Name)
		c.text("amount", costs[i].Amount)
		return c.close()
	})
}

// encoded is what write appends, in memory just as long: how long a text becomes
// is not known before.
func encoded(write func(b []byte) []byte) json.RawMessage {
	room := rooms.Get().(*[]byte)
	defer rooms.Put(room)
	*room = write((*room)[:0])
	return bytes.Clone(*room)
}

// rooms are where texts are written before they are copied.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// EncodeSnapshot writes s as canonical JSON.
func (m *Machine) EncodeSnapshot(s *Snapshot) json.RawMessage {
	return encoded(func(b []byte) []byte { return m.appendSnapshot(b, s) })
}

func (m *Machine) appendSnapshot(b []byte, s *Snapshot) []byte {
	o := (&object{b: b}).open()
	o.text("run", s.Run)
	o.text("token", s.Token)
	o.number("semantics", int64(s.Semantics))
	o.number("seq", s.Seq)
	if s.State >= 0 {
		o.text("state", m.def.States[s.State].Path)
	}
	o.number("visit", s.Visit)
	o.text("status", string(s.Status))
	o.text("outcome", string(s.Outcome))
	o.time("started", s.Started)
	o.time("entered", s.Entered)
	o.time("now", s.Now)
	if s.State >= 0 {
		o.fields("params", m.def.Params, s.Params)
	}
	o.fields("data", m.def.Fields, s.Data)
	m.encodeCounters(o, s.Counters)
	m.appendTasks(o, s)
	m.appendTries(o, s)
	m.appendExecutions(o, s)
	o.list("alarms", len(s.Alarms), func(b []byte, i int) []byte { return m.appendAlarm(b, &s.Alarms[i]) })
	o.list("kept", len(s.Kept), func(b []byte, i int) []byte { return m.appendKept(b, &s.Kept[i]) })
	o.number("kept_next", int64(s.KeptNext))
	o.truth("done_due", s.DoneDue)
	o.truth("cancelled", s.Cancelled)
	if s.Halt != nil {
		o.key("halt")
		halt := (&object{b: o.b}).open()
		encodeCause(halt, s.Halt.Cause)
		halt.key("input")
		halt.b = m.appendInput(halt.b, &s.Halt.Input)
		o.b = halt.close()
	}
	o.time("paused_at", s.PausedAt)
	o.list("queue", len(s.Queue), func(b []byte, i int) []byte { return m.appendInput(b, &s.Queue[i]) })
	o.number("late", s.Late)
	o.list("versions", len(s.Versions), func(b []byte, i int) []byte {
		v := (&object{b: b}).open()
		v.text("definition", s.Versions[i].Definition)
		v.number("until", s.Versions[i].Until)
		return v.close()
	})
	o.costs("spent", s.Spent)
	o.number("uncounted", s.Uncounted)
	o.names("over_due", s.OverDue)
	o.names("over_done", s.OverDone)
	o.list("stopping", len(s.Stopping), func(b []byte, i int) []byte { return m.appendTask(b, &s.Stopping[i]) })
	o.names("above", s.Above)
	o.truth("left", s.Left)
	o.truth("forced", s.Forced)
	o.key("seed")
	o.b = strconv.AppendUint(append(o.b, '"'), s.Seed, 16)
	o.b = append(o.b, '"')
	return o.close()
}

// encodeCounters leaves those that are 0 out.
func (m *Machine) encodeCounters(o *object, counters []int64) {
	some := false
	for a, n := range counters {
		switch {
		case n == 0:
			continue
		case some:
			o.b = append(o.b, ',')
		default:
			o.key("counters")
			o.b = append(o.b, '{')
			some = true
		}
		o.b = append(appendText(o.b, m.def.Arms[a].Name), ':')
		o.b = strconv.AppendInt(o.b, n, 10)
	}
	if some {
		o.b = append(o.b, '}')
	}
}

func (m *Machine) appendTask(b []byte, t *Task) []byte {
	o := (&object{b: b}).open()
	o.text("do", m.def.Dos[t.Do].Name)
	if m.dos[t.Do].Fan != nil {
		o.number("index", int64(t.Index))
	}
	o.text("state", string(t.State))
	o.text("key", t.Key)
	o.number("attempt", int64(t.Attempt))
	o.time("not_before", t.NotBefore)
	o.text("begun", t.Begun)
	o.costs("reported", t.Reported)
	o.costs("assumed", t.Assumed)
	return o.close()
}

func (m *Machine) appendAlarm(b []byte, a *Alarm) []byte {
	o := (&object{b: b}).open()
	o.text("timer", m.def.Timers[a.Timer].Name)
	o.time("due", a.Due)
	o.duration("wait", a.Wait)
	return o.close()
}

func (m *Machine) appendKept(b []byte, k *Kept) []byte {
	o := (&object{b: b}).open()
	o.text("event", m.def.Events[k.Event].Name)
	o.fields("data", m.def.Events[k.Event].Fields, k.Data)
	o.text("id", k.ID)
	return o.close()
}

// appendInput writes what an input of its kind has.
func (m *Machine) appendInput(b []byte, in *Input) []byte {
	o := (&object{b: b}).open()
	o.text("kind", string(in.Kind))
	switch in.Kind {
	case StartInput:
		o.fields("data", m.def.Params, in.Data)
		o.text("token", in.Token)
		o.number("semantics", int64(in.Semantics))
		o.names("above", in.Above)
	case EventInput, KeptInput:
		m.encodeEvent(o, in)
	case ResultInput, FailureInput:
		m.encodeDo(o, in)
		o.text("key", in.Key)
		o.number("attempt", int64(in.Attempt))
		if in.Kind == ResultInput {
			m.encodeEvent(o, in)
			break
		}
		o.text("category", m.def.Categories[in.Category])
		o.text("message", in.Message)
		o.text("stderr", in.Stderr)
		o.truth("checkpoint", in.Checkpoint)
	case TimerInput:
		o.text("timer", m.def.Timers[in.Timer].Name)
	case ProgressInput:
		o.time("since", in.Since)
	case CancelInput:
		o.truth("force", in.Force)
	case RetryInput:
		if in.State > 0 {
			o.text("state", m.def.States[in.State].Path)
		}
		o.truth("allow", in.Allow)
	case OverBudgetInput:
		o.text("over", in.Over)
	case ToldInput:
		if in.Key != "" {
			m.encodeDo(o, in)
			o.text("key", in.Key)
			o.number("attempt", int64(in.Attempt))
		}
	case LateInput, LostInput, ReturnInput, BeginInput, SpentInput:
		m.encodeDo(o, in)
		o.text("key", in.Key)
		o.number("attempt", int64(in.Attempt))
		o.text("message", in.Message)
		o.truth("checkpoint", in.Checkpoint)
	}
	if in.Migration != nil {
		o.text("from", in.Migration.From)
		o.key("snapshot")
		o.b = append(o.b, in.Migration.Snapshot...)
	}
	o.text("worker", in.Worker)
	o.duration("took", in.Took)
	o.costs("cost", in.Cost)
	o.costs("below", in.Below)
	o.costs("uncounted", in.Uncounted)
	o.truth("queued", in.Queued)
	o.text("id", in.ID)
	o.text("actor", in.Actor)
	o.text("reason", in.Reason)
	return o.close()
}

// encodeDo writes which do an attempt was of, and which element of it.
func (m *Machine) encodeDo(o *object, in *Input) {
	o.text("do", m.def.Dos[in.Do].Name)
	if m.dos[in.Do].Fan != nil {
		o.key("index")
		o.b = strconv.AppendInt(o.b, int64(in.Index), 10)
	}
}

func (m *Machine) encodeEvent(o *object, in *Input) {
	if in.Event >= 0 {
		o.text("event", m.def.Events[in.Event].Name)
		o.fields("data", m.def.Events[in.Event].Fields, in.Data)
	}
}

// EncodeRecord writes r as canonical JSON.
func (m *Machine) EncodeRecord(r *Record) json.RawMessage {
	return encoded(func(b []byte) []byte { return m.appendRecord(b, r) })
}

func (m *Machine) appendRecord(b []byte, r *Record) []byte {
	o := (&object{b: b}).open()
	o.number("seq", r.Seq)
	o.time("at", r.At)
	o.key("input")
	o.b = m.appendInput(o.b, &r.Input)
	if r.From >= 0 {
		o.text("from", m.def.States[r.From].Path)
	}
	o.text("to", m.def.States[r.To].Path)
	o.number("visit", r.Visit)
	o.text("effect", string(r.Effect))
	if r.Arm >= 0 {
		o.text("arm", m.def.Arms[r.Arm].Name)
	}
	o.number("count", r.Count)
	o.list("passed", len(r.Passed), func(b []byte, i int) []byte {
		p := (&object{b: b}).open()
		p.text("arm", m.def.Arms[r.Passed[i].Arm].Name)
		p.text("why", string(r.Passed[i].Why))
		return p.close()
	})
	o.list("verdicts", len(r.Verdicts), func(b []byte, i int) []byte { return m.appendVerdict(b, &r.Verdicts[i]) })
	o.list("redirects", len(r.Redirects), func(b []byte, i int) []byte {
		return appendText(b, m.def.States[r.Redirects[i]].Path)
	})
	o.duration("wait", r.Wait)
	o.duration("held", r.Held)
	if len(r.Returns) > 0 {
		o.fields("returns", m.states[r.To].returned, r.Returns)
	}
	encodeCause(o, r.Cause)
	return o.close()
}

func (m *Machine) appendVerdict(b []byte, v *Verdict) []byte {
	guard := &m.def.Guards[v.Guard]
	o := (&object{b: b}).open()
	o.text("guard", guard.Name)
	o.fields("args", guard.Params, v.Args)
	o.key("answer")
	o.b = strconv.AppendBool(o.b, v.Answer)
	return o.close()
}
