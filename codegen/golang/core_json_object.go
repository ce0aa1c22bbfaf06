package golang

import "github.com/fsmc-dev/fsmc/lang/ir"

// objectType writes the writer. Methods that no value needs are left out.
func (c *corePrinter) objectType() {
	c.p.use("time", "unicode/utf8", "strconv")
	c.t(`// @mObject is JSON as it is written.
type @mObject struct{ b []byte }

// comma separates what follows from what stands before it, unless that opens.
func (o *@mObject) comma(open byte) {
	if o.b[len(o.b)-1] != open {
		o.b = append(o.b, ',')
	}
}

func (o *@mObject) key(name string) {
	o.comma('{')
	o.quote(name)
	o.b = append(o.b, ':')
}

func (o *@mObject) open(name string) {
	o.key(name)
	o.b = append(o.b, '{')
}

func (o *@mObject) close() { o.b = append(o.b, '}') }

func (o *@mObject) text(name, value string) {
	if value != "" {
		o.key(name)
		o.quote(value)
	}
}

func (o *@mObject) number(name string, n int64) {
	if n != 0 {
		o.key(name)
		o.b = strconv.AppendInt(o.b, n, 10)
	}
}

func (o *@mObject) truth(name string, b bool) {
	if b {
		o.key(name)
		o.b = append(o.b, "true"...)
	}
}

func (o *@mObject) time(name string, t @MStepTime) {
	if t != 0 {
		o.key(name)
		o.at(t.Time())
	}
}

func (o *@mObject) at(t time.Time) {
	o.b = append(t.UTC().AppendFormat(append(o.b, '"'), "2006-01-02T15:04:05.000000Z"), '"')
}

// quote writes a string with no more escapes than JSON demands.
func (o *@mObject) quote(s string) {
	const hex = "0123456789abcdef"
	o.b = append(o.b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			o.b = append(o.b, '\\', byte(r))
		case r == '\n':
			o.b = append(o.b, '\\', 'n')
		case r == '\r':
			o.b = append(o.b, '\\', 'r')
		case r == '\t':
			o.b = append(o.b, '\\', 't')
		case r < ' ':
			o.b = append(o.b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			o.b = utf8.AppendRune(o.b, r)
		}
	}
	o.b = append(o.b, '"')
}
`)
	if c.plan.tasks+len(c.plan.executions)+c.plan.alarms > 0 || c.plan.deferred {
		c.t(`func (o *@mObject) list(name string) {
	o.key(name)
	o.b = append(o.b, '[')
}

func (o *@mObject) end() { o.b = append(o.b, ']') }

func (o *@mObject) item() {
	o.comma('[')
	o.b = append(o.b, '{')
}
`)
	}
	if c.holds(ir.Float) {
		c.p.use("math")
		c.t(`// float writes the shortest number that reads back the same, as encoding/json does.
func (o *@mObject) float(f float64) {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	o.b = strconv.AppendFloat(o.b, f, format, -1, 64)
	if n := len(o.b); format == 'e' && o.b[n-2] == '0' && o.b[n-3] == '-' {
		o.b = append(o.b[:n-2], o.b[n-1]) // e-07 is e-7
	}
}
`)
	}
}

// holds reports whether some value of the machine, or a part of one, is of a kind.
func (c *corePrinter) holds(kind ir.Kind) bool {
	structs := []*structPlan{c.m.Params, c.m.Data}
	for _, e := range c.m.Events {
		structs = append(structs, e.Payload)
	}
	for _, s := range structs {
		for _, f := range s.Fields {
			for t := f.typ; t != nil; t = t.Elem {
				if t.Kind == kind {
					return true
				}
			}
		}
	}
	return false
}
