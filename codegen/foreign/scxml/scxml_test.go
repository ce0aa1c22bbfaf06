package scxml

import (
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/codegen/foreign/foreigntest"
)

const published = "../nodetest/testdata/*.scxml*"

func TestGolden(t *testing.T) { foreigntest.Golden(t, Source, published) }

func TestErrorsSayWhere(t *testing.T) { foreigntest.Refused(t, Source, refused) }

func TestMeaning(t *testing.T) { foreigntest.Means(t, Source, meanings) }

func FuzzRead(f *testing.F) { foreigntest.Fuzz(f, Source, published, meanings) }

var refused = map[string]string{
	"":                             "there is no element in it",
	"<scxml>":                      "line 1",
	"<scxml>\n<state></scxml>":     "line 2",
	"<html/>":                      "the root element is html",
	"<scxml/><scxml/>":             "two root elements",
	strings.Repeat("<state>", 200): "more than 100 levels",
}

var meanings = []foreigntest.Meaning{
	{Text: `<scxml initial="a"><state id="a"><onentry><send event="late" delay="1.5s"/></onentry><transition event="late" target="b"/></state><final id="b"/></scxml>`,
		Want: []string{"after 1.5s -> B", "terminal B success"}, Grade: foreign.Whole},
	{Text: `<scxml><datamodel><data id="n" expr="3"/></datamodel><state id="a"><transition event="e.f" cond="n &lt; 5" target="a"><assign location="n" expr="n + 1"/></transition></state></scxml>`,
		Want: []string{"n int = 3", "event EF", "on EF when n < 5 -> A { n = n + 1 }"}, Grade: foreign.Whole},
	{Text: `<scxml><state id="a"><transition event="e" cond="f(1) > 2"/></state></scxml>`,
		Want: []string{"guard f_1_2()", "on E when f_1_2() {}"}, Grade: foreign.Part},
	{Text: `<scxml><state id="a"><onentry><raise event="x"/><script>y()</script></onentry></state></scxml>`,
		Want: []string{"Lost: the event x, which it raises", "Lost: a script of the program"}, Grade: foreign.Lost},
	{Text: `<scxml><state id="a"><transition event="*" target="b"/></state><state id="b"/></scxml>`,
		Want: []string{`Lost: what "*" takes: no event that it means is named`}, Grade: foreign.Lost},
	{Text: `<scxml><state id="a"><transition event="e" cond="In('c')" target="b"/></state><state id="b"/></scxml>`,
		Want: []string{"Lost: a condition that asks where another region is"}, Grade: foreign.Lost},
	{Text: `<scxml><datamodel><data id="n" expr="1"/></datamodel><parallel id="p"><state id="q"><invoke src="work"/></state><state id="r"><transition event="e" cond="n == 1"><assign location="n" expr="n + 1"/></transition></state></parallel></scxml>`,
		Want: []string{"state Only {", "do invoke_work()", "Lost: the condition n == 1: it reads data of the machine around", "Lost: n = n + 1: the data are those of the machine around"}, Grade: foreign.Lost},
	{Text: `<scxml><parallel id="p"><state id="q"/><state id="r"><transition event="e" target="out"/></state></parallel><final id="out"/></scxml>`,
		Want: []string{"do machine XQ() as q_1", "Lost: a step out of its region"}, Grade: foreign.Lost},
}
