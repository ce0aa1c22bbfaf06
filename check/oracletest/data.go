package oracletest

import (
	"fmt"
	"strings"
)

// guard writes a condition; field is the type of `event.v`, or empty.
func (g *generator) guard(field string) string {
	switch {
	case g.chance(0.12):
		return "!(" + g.guard(field) + ")"
	case g.chance(0.15):
		return g.guard(field) + pick(g, []string{" && ", " || "}) + g.atom(field)
	}
	return g.atom(field)
}

var comparisons = []string{"==", "!=", "<", "<=", ">", ">="}

func (g *generator) atom(field string) string {
	if g.maybe {
		if text := g.asks(field); text != "" {
			return text
		}
		field = strings.TrimSuffix(field, "?")
	}
	list := []string{
		fmt.Sprintf("n %s %d", pick(g, comparisons), g.IntN(4)),
		"n < 3",
	}
	add := func(there bool, text ...string) {
		if there {
			list = append(list, pick(g, text))
		}
	}
	add(g.flag, "b", "!b", "b == true")
	add(g.enum, "c == Color.Red", "c != Color.Green")
	add(g.unset, "u is set", "u is not set", fmt.Sprintf("u is set && u %s 1", pick(g, comparisons)))
	add(g.unset && g.slip(), "u > 0")
	add(g.host, "host(n)", "host(1)", "host(2)")
	add(g.param, "n < limit", "limit == 0", "n + 1 <= limit", "n - limit > 0")
	add(g.fixed, "n < most", "n >= most", `mode == "slow"`, `mode != "fast"`, "n + 1 == most")
	add(field == "int 0..2" && g.fixed, "event.v < most", "event.v == most")
	add(g.plain, fmt.Sprintf("p %s %d", pick(g, comparisons), g.IntN(3)))
	add(g.text, `t == "yes"`, `t != "yes"`)
	add(g.text && !g.param, `run.id == "yes"`) // with a parameter there would be too many starts
	add(g.wait, "w > 4s", "w <= 8s", "w == 0s")
	add(field == "int 0..2", "event.v > 0", "event.v == n", "event.v < n", "event.v < 2")
	add(field == "int", "event.v > 1", "event.v == p", "event.v < 2")
	add(field == "string", `event.v == "yes"`, "event.v == t")
	add(field == "bool", "event.v", "!event.v")
	add(field == "failure", `event.category == "timeout"`, `event.category != "unknown"`, `event.activity == "act0"`)
	add(field == "Color", "event.v == Color.Green", "event.v == c")
	add(field == "duration 0s..20s", "event.v > 4s", "event.v <= w")
	add(g.fans, "len(xs) > 1", "len(xs) == 0", "n < 2", "len(xs) > n", "len(xs) == n")
	add(g.set, "len(ys) > 0", "len(ys) <= n")
	add(g.inFan && g.chance(0.5), "event.index == 0", "event.index < 1", "event.index + 1 == 2", "event.index == n", "event.index > 0 && n < 2")
	add(g.inFan && g.records, "event.item.on", "!event.item.on && n < 2")
	return pick(g, list)
}

// effect writes an assignment or two.
func (g *generator) effect(field string) string {
	first := g.assign(field)
	if g.chance(0.2) {
		if second := g.assign(field); second[:1] != first[:1] {
			return first + ", " + second
		}
	}
	return first
}

func (g *generator) assign(field string) string {
	if g.maybe {
		if text := g.copies(field); text != "" {
			return text
		}
		field = strings.TrimSuffix(field, "?")
	}
	list := []string{fmt.Sprintf("n = %d", g.IntN(4)), "n = min(n + 1, 3)", "n = max(n - 1, 0)"}
	add := func(there bool, text ...string) {
		if there {
			list = append(list, pick(g, text))
		}
	}
	add(g.slip(), "n = n + 1", "n = n - 1", "n = n + n")
	add(g.flag, "b = true", "b = false", "b = !b", "b = n > 1")
	add(g.enum, "c = Color.Red", "c = Color.Green")
	add(g.unset, "u = 1", "u = unset", "u = min(n, 2)")
	add(g.wait, "w = 20s", "w = 0s", "w = min(w * 2, 20s)")
	add(g.plain, "p = 2", "p = 0")
	add(g.text, `t = "yes"`, `t = "no"`)
	add(g.param, "n = limit")
	add(field == "int 0..2", "n = event.v", "n = min(n + event.v, 3)")
	add(field == "int 0..2" && g.unset, "u = event.v")
	add(field == "int", "p = event.v")
	add(field == "string", "t = event.v")
	add(field == "bool" && g.flag, "b = event.v")
	add(field == "Color", "c = event.v")
	add(field == "duration 0s..20s", "w = event.v")
	add(g.inFan, "n = n + 1")
	add(g.inFan && g.chance(0.5), "n = event.index", "n = min(n + event.index, 3)", "n = event.index + 1")
	add(g.inFan && g.records && g.flag, "b = event.item.on")
	add(g.set, "ys = []")
	add(field == "[0..2]string", "ys = event.v", "ys = event.v")
	return pick(g, list)
}
