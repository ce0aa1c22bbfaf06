package asl_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// interpreter runs definitions as the States Language says (states-language.net/spec.html), in
// time that is counted and not waited for. It is written from that text, for the part of it that
// the random machines use: all states, JSONPath as plain reads, Retry and Catch everywhere.
type interpreter struct {
	task  func(name string, request any, attempt int) answer
	input any // of the execution
	calls []call
}

// answer is how an attempt of a Task ends.
type answer struct {
	result any
	err    string
	takes  time.Duration
}

// call is an attempt of a Task.
type call struct {
	what string
	at   time.Duration
	may  bool // it begins at the moment in which its branch is cancelled: it is made or not
}

// ended is how a definition or a state ends: with an output, or with an error.
type ended struct {
	output     any
	err, cause string
	at         time.Duration
	path       []string
}

// unordered is a list whose order the importer does not promise.
type unordered []any

type object = map[string]any

// element is the element of a Map that the templates of its state may read.
type element struct {
	index int
	value any
}

// run takes a definition from its StartAt to an end.
func (i *interpreter) run(def object, input any, at time.Duration) ended {
	states, out := def["States"].(object), ended{output: input, at: at}
	for name := def["StartAt"].(string); ; {
		st, ok := states[name].(object)
		if !ok {
			panic("no state " + name)
		}
		out.path = append(out.path, name)
		next := ""
		input := out.output
		e := i.state(name, st, input, out.at, &next)
		out.output, out.err, out.cause, out.at = e.output, e.err, e.cause, e.at
		if next == "" {
			return out
		}
		name = next
	}
}

// state runs one state with its retries, and gives the next one; none is an end.
func (i *interpreter) state(name string, st object, input any, at time.Duration, next *string) ended {
	*next, _ = st["Next"].(string)
	retried := map[int]int{}
	for attempt := 1; ; attempt++ {
		e := i.attempt(name, st, input, at, attempt, next)
		if e.err == "" {
			return e
		}
		at = e.at
		if wait, ok := retry(st, e.err, retried); ok {
			at += wait
			continue
		}
		for _, c := range list(st["Catch"]) {
			if c := c.(object); names(c["ErrorEquals"], e.err) {
				*next = c["Next"].(string)
				return ended{output: output(c, input, object{"Error": e.err, "Cause": e.cause}), at: at}
			}
		}
		*next = ""
		return e
	}
}

// retry is the wait before another attempt; each Retrier counts for itself.
func retry(st object, err string, retried map[int]int) (time.Duration, bool) {
	for n, r := range list(st["Retry"]) {
		r := r.(object)
		if !names(r["ErrorEquals"], err) {
			continue
		}
		if float64(retried[n]) >= number(r["MaxAttempts"], 3) {
			return 0, false
		}
		wait := number(r["IntervalSeconds"], 1) * math.Pow(number(r["BackoffRate"], 2), float64(retried[n]))
		wait = min(wait, number(r["MaxDelaySeconds"], math.Inf(1)))
		retried[n]++
		return time.Duration(wait * float64(time.Second)), true
	}
	return 0, false
}

// names reports whether ErrorEquals takes an error.
func names(equals any, err string) bool {
	for _, n := range list(equals) {
		if n == err || n == "States.ALL" || n == "States.TaskFailed" && err != "States.Timeout" {
			return true
		}
	}
	return false
}

// attempt runs a state once.
func (i *interpreter) attempt(name string, st object, input any, at time.Duration, n int, next *string) ended {
	effective := input
	if p, there := st["InputPath"]; there {
		effective = i.path(p, input, nil)
	}
	request := effective
	if p, there := st["Parameters"]; there {
		request = i.template(p, effective, nil)
	}
	e := ended{output: request, at: at}
	switch st["Type"] {
	case "Pass":
		if r, there := st["Result"]; there {
			e.output = r
		}
	case "Succeed", "Choice", "Wait":
		if st["Type"] == "Wait" {
			e.at += time.Duration(st["Seconds"].(float64)) * time.Second
		}
		if st["Type"] == "Choice" {
			*next = i.choose(st, effective)
			if *next == "" {
				return ended{err: "States.NoChoiceMatched", at: at}
			}
		}
		if p, there := st["OutputPath"]; there {
			e.output = i.path(p, effective, nil)
		}
		return e
	case "Fail":
		return ended{err: st["Error"].(string), cause: st["Cause"].(string), at: at}
	case "Task":
		a := i.task(name, request, n)
		i.calls = append(i.calls, call{what: asked(name, request, n), at: at})
		e = ended{output: a.result, err: a.err, cause: a.err, at: at + a.takes}
	case "Parallel":
		var runs []ended
		from := len(i.calls)
		for _, b := range list(st["Branches"]) {
			runs = append(runs, i.run(b.(object), request, at))
		}
		e = i.joined(runs, from, at, 0, 0)
	case "Map":
		e = i.each(st, effective, at)
	}
	if e.err == "" {
		if s, there := st["ResultSelector"]; there {
			e.output = i.template(s, e.output, nil)
		}
		e.output = output(st, input, e.output)
	}
	return e
}

// joined waits for runs side by side, whose calls are those behind from. An error of one ends them
// all, unless so many may fail.
func (i *interpreter) joined(runs []ended, from int, at time.Duration, count, percent float64) ended {
	var failures, good []ended
	for _, r := range runs {
		at = max(at, r.at)
		if r.err != "" {
			failures = append(failures, r)
		} else {
			good = append(good, r)
		}
	}
	slices.SortStableFunc(failures, func(a, b ended) int { return int(a.at - b.at) })
	for n, f := range failures {
		over := float64(n+1) > count
		if percent > 0 {
			over = count > 0 && over || float64(n+1)*100 > percent*float64(len(runs))
		}
		if over {
			// What would begin later is cancelled before.
			begun := slices.DeleteFunc(slices.Clone(i.calls[from:]), func(c call) bool { return c.at > f.at })
			for n := range begun {
				begun[n].may = begun[n].may || begun[n].at == f.at
			}
			i.calls = append(i.calls[:from], begun...)
			return ended{err: f.err, cause: f.cause, at: f.at}
		}
	}
	results := []any{}
	for _, r := range good {
		results = append(results, r.output)
	}
	return ended{output: results, at: at}
}

// each runs a Map: so many elements at once, the others in their order when a place is free.
func (i *interpreter) each(st object, effective any, at time.Duration) ended {
	items := effective
	if p, there := st["ItemsPath"]; there {
		items = i.path(p, effective, nil)
	}
	limit := int(number(st["MaxConcurrency"], 0))
	var runs []ended
	from := len(i.calls)
	var free []time.Duration // when a place will be
	for n, item := range items.([]any) {
		input, begin := item, at
		if s, there := st["ItemSelector"]; there {
			input = i.template(s, effective, &element{n, item})
		}
		if limit > 0 && n >= limit {
			slices.Sort(free)
			begin, free = free[0], free[1:]
		}
		r := i.run(st["ItemProcessor"].(object), input, begin)
		runs, free = append(runs, r), append(free, r.at)
	}
	count, percent := number(st["ToleratedFailureCount"], 0), number(st["ToleratedFailurePercentage"], 0)
	e := i.joined(runs, from, at, count, percent)
	_, distributed := st["ItemProcessor"].(object)["ProcessorConfig"]
	if e.err != "" && (distributed || count > 0 || percent > 0) {
		e.err = "States.ExceedToleratedFailureThreshold"
	}
	if results, ok := e.output.([]any); ok && limit != 1 {
		e.output = unordered(results) // the importer says that it does not keep their order
	}
	return e
}

func (i *interpreter) choose(st object, data any) string {
	for _, rule := range list(st["Choices"]) {
		rule := rule.(object)
		got := i.path(rule["Variable"], data, nil).(float64)
		if less, there := rule["NumericLessThan"]; there && got < less.(float64) {
			return rule["Next"].(string)
		}
	}
	next, _ := st["Default"].(string)
	return next
}

// output puts a result where ResultPath says, and takes what OutputPath says.
func output(st object, input, result any) any {
	out := result
	switch p, there := st["ResultPath"]; {
	case there && p == nil:
		out = input
	case there && p != "$":
		out = put(input, strings.Split(strings.TrimPrefix(p.(string), "$."), "."), result)
	}
	if p, there := st["OutputPath"]; there {
		out = (&interpreter{}).path(p, out, nil)
	}
	return out
}

func put(v any, keys []string, value any) any {
	if len(keys) == 0 {
		return value
	}
	all := object{}
	if o, ok := v.(object); ok {
		maps.Copy(all, o)
	}
	all[keys[0]] = put(all[keys[0]], keys[1:], value)
	return all
}

func (i *interpreter) path(p any, v any, e *element) any {
	text, _ := p.(string)
	switch {
	case p == nil:
		return object{}
	case text == "$$.Map.Item.Index":
		return float64(e.index)
	case strings.HasPrefix(text, "$$.Map.Item.Value"):
		v, text = e.value, strings.TrimPrefix(text, "$$.Map.Item.Value")
	case strings.HasPrefix(text, "$$.Execution.Input"):
		v, text = i.input, strings.TrimPrefix(text, "$$.Execution.Input")
	}
	for _, k := range strings.Split(strings.TrimPrefix(strings.TrimPrefix(text, "$"), "."), ".") {
		if o, ok := v.(object); k != "" && ok {
			v = o[k]
		} else if k != "" {
			panic(fmt.Sprintf("%s reads %v", text, v))
		}
	}
	return v
}

func (i *interpreter) template(t, v any, e *element) any {
	switch t := t.(type) {
	case object:
		out := object{}
		for k, inner := range t {
			if key, ok := strings.CutSuffix(k, ".$"); ok {
				out[key] = i.path(inner, v, e)
			} else {
				out[k] = i.template(inner, v, e)
			}
		}
		return out
	case []any:
		out := make([]any, len(t))
		for n, inner := range t {
			out[n] = i.template(inner, v, e)
		}
		return out
	}
	return t
}

func list(v any) []any { l, _ := v.([]any); return l }

func number(v any, otherwise float64) float64 {
	if f, ok := v.(float64); ok {
		return f
	}
	return otherwise
}
