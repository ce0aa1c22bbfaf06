package golang

import (
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// guards writes how the host is asked, at most once for the same arguments in
// one step.
func (c *corePrinter) guards() {
	p, m := c.p, c.m
	for _, g := range m.Guards {
		src := g.src
		if !c.asks(src) {
			continue
		}
		name := exported(src.Name)
		var fields, names, same, checks []string
		for _, q := range g.Params {
			fields = append(fields, q.Name+" "+q.Type)
			names = append(names, q.Name)
			same = append(same, c.equalIfSet(q.typ, q.Optional, "v."+q.Name, q.Name, 1))
			checks = append(checks, c.m.whereSet(q.typ, q.Name, q.Optional, q.JSON, func(l ir.RecordLeaf, v, name string) string {
				return c.checks(l.Type, v, func(why string) string {
					return "t.fail(" + quote("guard "+quote(src.Name)+": field "+quote(name)+": "+why) + ")\nreturn false"
				})
			}))
		}
		p.f("// %s%sVerdict is what the host said of some arguments.", m.low, name)
		p.f("type %s%sVerdict struct {\n%s\nanswer bool\n}\n", m.low, name, strings.Join(fields, "\n"))
		p.f("// ask%s asks the host, once for the same arguments.", name)
		p.f("func (t *%sStepper) ask%s(%s) bool {", m.Name, name, strings.Join(fields, ", "))
		p.f("if t.why != \"\" {\nreturn false\n}\n%s", strings.Join(checks, ""))
		cond := strings.Join(same, " && ")
		if cond == "" {
			p.f("if len(t.asked%[1]s) > 0 {\nreturn t.asked%[1]s[0].answer\n}", name)
		} else {
			p.f("for i := range t.asked%[1]s {\nif v := &t.asked%[1]s[i]; %[2]s {\nreturn v.answer\n}\n}", name, cond)
		}
		p.f("if t.Guards == nil {\nt.fail(%s)\nreturn false\n}", quote("no one answers guard "+quote(src.Name)))
		p.f("answer, err := t.Guards.%s(%s)", g.Method, strings.Join(names, ", "))
		p.f("if err != nil {\nt.fail(%s + err.Error())\nreturn false\n}", quote("guard "+quote(src.Name)+" failed: "))
		p.f("t.asked%[1]s = append(t.asked%[1]s, %[2]s%[1]sVerdict{%[3]s})\nreturn answer\n}\n", name, m.low, strings.Join(append(names, "answer"), ", "))
	}
}
