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
	"":                         "there is no element in it",
	"<scxml>":                  "line 1",
	"<scxml>\n<state></scxml>": "line 2",
	"<scxml>\n<state id=\"a\"/>\n<state id=\"a\"/></scxml>": `line 3: the id "a" is there twice`,
	"<html/>":                      "the root element is html",
	"<scxml/><scxml/>":             "two root elements",
	strings.Repeat("<state>", 200): "more than 100 levels",
}

var meanings = []foreigntest.Meaning{
	// What is not read is told.
	{Text: `<scxml><script>x()</script><state id="a"><onentry><log expr="1"/><my:beep/></onentry><transition event="e" target="b"/></state><final id="b"><donedata><param name="v" expr="1"/></donedata></final></scxml>`,
		Want: []string{"Lost: the element script", "Lost: the element beep", "Lost: what it says at its end"}, Grade: foreign.Lost},
	{Text: `<scxml><state id="a"><invoke src="w" autoforward="true"/><onentry><send event="late" delay="1s"/></onentry><transition event="late" target="b"/><transition event="e"><cancel sendid="t"/><send event="x" target="y"><param name="n" expr="1"/></send></transition></state><final id="b"/></scxml>`,
		Want: []string{"Lost: what invoke w is given: an activity here takes nothing", "Lost: the end of t, a timer", "Lost: what it sends with x"}, Grade: foreign.Lost},
	{Text: `<scxml><state id="a"><invoke type="scxml"><content><scxml/></content></invoke></state></scxml>`,
		Want: []string{"Lost: the machine inside invoke scxml"}, Grade: foreign.Lost},
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
	// An external step to what is inside leaves the state around it, and an internal one does not.
	{Text: `<scxml><datamodel><data id="n" expr="1"/></datamodel><state id="a"><onentry><assign location="n" expr="n + 1"/></onentry><transition event="e" target="a2"/><state id="a1"/><state id="a2"/></state></scxml>`,
		Want: []string{`// Lost: that "a" is left and entered again on the way to "a2"`, "on E -> A.A2"}, Grade: foreign.Lost},
	{Text: `<scxml><datamodel><data id="n" expr="1"/></datamodel><state id="a"><onentry><assign location="n" expr="0"/></onentry><transition event="e" type="internal" target="a"/></state></scxml>`,
		Want: []string{"on E -> A\n"}, Grade: foreign.Whole},
	// So does one from further out: what is between is left.
	{Text: `<scxml initial="b"><state id="o"><transition event="e" target="a2" type="internal"/><state id="a"><onexit><send event="x" target="y"/></onexit><state id="a1"/><state id="a2"/></state><state id="b"/></state></scxml>`,
		Want: []string{`// Lost: that "a" is left and entered again on the way to "a2"`, "on E -> O.A.A2"}, Grade: foreign.Lost},
	// An event that a state sends to itself later goes to the innermost state that takes it.
	{Text: `<scxml><state id="a"><onentry><send event="late" delay="1s"/></onentry><transition event="late" target="b"/><state id="a1"><transition event="late" target="a2"/></state><state id="a2"/></state><final id="b"/></scxml>`,
		Want: []string{"// Lost: that other transitions take the event late, too, which it sends to itself later", "after 1s -> B", "on Late -> A.A2"}, Grade: foreign.Lost},
	{Text: `<scxml><state id="a"><onentry><send event="late" delay="1s"/></onentry><transition event="late" target="b"/><state id="a1"><transition event="*" target="a2"/></state><state id="a2"><transition event="n" target="b"/></state></state><final id="b"/></scxml>`,
		Want: []string{"// Lost: that other transitions take the event late, too"}, Grade: foreign.Lost},
	// It comes also when the state has been left and entered again, unless something cancels it.
	{Text: `<scxml><state id="a"><onentry><send event="t" delay="5s"/></onentry><transition event="t" target="b"/><transition event="x" target="d"/></state><state id="d"><transition event="back" target="a"/></state><final id="b"/></scxml>`,
		Want: []string{"// Guessed: this timer ends when it is left; in the original nothing cancels the event t", "after 5s -> B"}, Grade: foreign.Part},
	{Text: `<scxml><state id="o"><transition event="y" target="d"/><state id="a"><onentry><send event="t" id="i" delay="5s"/></onentry><transition event="t" target="b"/></state></state><state id="d"/><final id="b"/></scxml>`,
		Want: []string{"// Guessed: this timer ends when it is left"}, Grade: foreign.Part},
	{Text: `<scxml><state id="a"><onentry><send event="t" id="i" delay="5s"/></onentry><onexit><cancel sendid="i"/></onexit><transition event="t" target="b"/><transition event="x" target="a"/></state><final id="b"/></scxml>`,
		Want: []string{"after 5s -> B"}, Grade: foreign.Whole},
	{Text: `<scxml><state id="a"><onentry><send event="t" id="i" delay="5s"/></onentry><transition event="t" target="b"/><transition event="x" target="b"><cancel sendid="i"/></transition><transition event="z"/><state id="a1"><transition event="n" target="a2"/></state><state id="a2"/></state><final id="b"/></scxml>`,
		Want: []string{"after 5s -> B"}, Grade: foreign.Whole},
	{Text: `<scxml><datamodel><data id="f" expr="2.5"/></datamodel><state id="a"><transition event="e" cond="f &gt; 2"/></state></scxml>`,
		Want: []string{"// Lost: the datum f: its value is no whole number, text, true or false", "    // Reports whether this holds: f > 2\n    guard f_2()"}, Grade: foreign.Lost},
	{Text: `<scxml><state id="a"><transition event="e" type="internal" target="a2"/><state id="a1"/><state id="a2"/></state></scxml>`,
		Want: []string{"on E -> A.A2"}, Grade: foreign.Whole},
	{Text: `<scxml><state id="a"><onentry><send event="go" target="#_internal"/></onentry><transition event="go" target="b"/></state><final id="b"/></scxml>`,
		Want: []string{"// Lost: the event go, which it sends to itself"}, Grade: foreign.Lost},
	// A block reads what was there before it, and not what it assigns.
	{Text: `<scxml><datamodel><data id="a" expr="1"/><data id="b" expr="2"/></datamodel><state id="s"><transition event="e" target="f"><assign location="a" expr="b"/><assign location="b" expr="a"/></transition></state><final id="f"/></scxml>`,
		Want: []string{"// Lost: b = a: a block reads what was there before it", "on E -> F { a = b }"}, Grade: foreign.Part},
	// "!" binds before "==": of a number it is no comparison here.
	{Text: `<scxml><datamodel><data id="a" expr="1"/><data id="b" expr="true"/></datamodel><state id="s"><transition event="e" cond="!a == 1" target="f"/><transition event="g" cond="!b || !(a == 1) || !!b" target="f"/><transition event="h" cond="!b == true" target="f"/></state><final id="f"/></scxml>`,
		Want: []string{"Reports whether this holds: !a == 1", "on G when !b || !(a == 1) || !!b -> F", "Reports whether this holds: !b == true"}, Grade: foreign.Part},
	{Text: `<scxml name="заказ"><datamodel><data id="число" expr="0"/></datamodel><state id="a"><transition event="e" cond="число &lt; 3" target="b"><assign location="число" expr="число + 1"/></transition></state><final id="b"/></scxml>`,
		Want: []string{"// \"заказ\"\nmachine Unnamed", "        // \"число\"\n        unnamed int = 0", "on E when unnamed < 3 -> B { unnamed = unnamed + 1 }"}, Grade: foreign.Whole},
	{Text: `<scxml><parallel id="p"><state id="q"/><state id="r"><transition event="e" target="out"/></state></parallel><final id="out"/></scxml>`,
		Want: []string{"do machine XQ() as q_1", "Lost: a step out of its region"}, Grade: foreign.Lost},
	// An external step inside a region leaves all that is around it, the other regions, too.
	{Text: `<scxml><parallel id="p"><state id="q"/><state id="r"><transition event="e" target="r1"/><state id="r1"/></state></parallel></scxml>`,
		Want: []string{`// Lost: that "r" is left and entered again on the way to "r1"`, "on E -> R1"}, Grade: foreign.Lost},
	{Text: `<scxml><parallel id="p"><state id="q"/><state id="r"><transition event="e" type="internal" target="r1"/><state id="r1"/></state></parallel></scxml>`,
		Want: []string{"on E -> R1"}, Grade: foreign.Part},
}
