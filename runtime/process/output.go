package process

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/internal/lines"
)

// maxLine is how long a line may be: the largest payload, and room for what
// stands around it.
const maxLine = runtime.MaxPayload + 64<<10

// output takes a process's standard output line by line, and keeps the last
// one that is not blank. A line longer than maxLine is cut, and is no answer.
type output struct {
	lines.Writer // never fails: a process is not told that its output is of no use

	last    []byte
	lastCut bool
}

// newOutput is an output of which early sees each line as soon as it is complete, or as much of
// it as was kept, and reports whether it has dealt with it.
func newOutput(early func(line []byte, cut bool) bool) *output {
	o := &output{}
	o.Writer = lines.Writer{Most: maxLine, Each: func(line []byte, cut bool) {
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
		case early(line, cut):
			o.last, o.lastCut = nil, false
		default:
			o.last, o.lastCut = bytes.Clone(line), cut
		}
	}}
	return o
}

// end completes a last line without an end, and says what is wrong with the
// last line as a whole.
func (o *output) end() error {
	o.End()
	switch {
	case o.last == nil:
		return errors.New("it printed no answer as its last line")
	case o.lastCut:
		return fmt.Errorf("its last line is longer than %d bytes: %s", maxLine, beginning(o.last))
	}
	return nil
}

// answer is what an activity prints at its end.
type answer struct {
	Event    *string         `json:"event"`
	Data     json.RawMessage `json:"data"`
	Failed   *string         `json:"failed"`
	Message  string          `json:"message"`
	Declined *string         `json:"declined"`
	Cost     costs           `json:"cost"`
}

// costs are read whatever they are, so that one that is none takes no result with it:
// the engine leaves it out, and says so.
type costs map[string]json.Number

// UnmarshalJSON keeps what is no number as its text, which is no amount, so also what is
// named twice, and what is no object under the empty name, which no cost has.
func (c *costs) UnmarshalJSON(text []byte) error {
	if text[0] != '{' {
		*c = costs{"": json.Number(text)}
		return nil
	}
	*c = costs{}
	return members(text, func(name string, amount json.RawMessage) error {
		if before, twice := (*c)[name]; twice {
			amount = fmt.Appendf(nil, "%s and %s", before, amount)
		}
		(*c)[name] = json.Number(amount)
		return nil
	})
}

// members calls each with the members of an object, as it has them.
func members(object []byte, each func(name string, value json.RawMessage) error) error {
	decoder := json.NewDecoder(bytes.NewReader(object))
	_, err := decoder.Token() // the brace
	for err == nil && decoder.More() {
		var name json.Token
		var value json.RawMessage
		if name, err = decoder.Token(); err == nil {
			err = decoder.Decode(&value)
		}
		if err == nil {
			err = each(name.(string), value)
		}
	}
	return err
}

// answer reads the last line of an activity.
func (o *output) answer() (runtime.Result, error) {
	if err := o.end(); err != nil {
		return runtime.Result{}, err
	}
	return readAnswer(o.last)
}

func readAnswer(line []byte) (runtime.Result, error) {
	var a answer
	if err := decode(line, &a); err != nil {
		return runtime.Result{}, fmt.Errorf("its last line is no answer: %w: %s", err, beginning(line))
	}
	said := 0
	for _, is := range []bool{a.Event != nil || a.Data != nil, a.Failed != nil || a.Message != "", a.Declined != nil} {
		if is {
			said++
		}
	}
	switch {
	case said > 1:
		return runtime.Result{}, fmt.Errorf("its answer is of several kinds: %s", beginning(line))
	case a.Declined != nil:
		return runtime.Result{Cost: a.Cost}, runtime.Decline(*a.Declined)
	case a.Event != nil && *a.Event == "", a.Failed != nil && *a.Failed == "": // a variable that is not set
		return runtime.Result{}, fmt.Errorf("its answer has an empty name: %s", beginning(line))
	case a.Message != "" && a.Failed == nil:
		return runtime.Result{}, fmt.Errorf("its answer has a message, and names no category in \"failed\": %s", beginning(line))
	case a.Failed != nil:
		return runtime.Result{}, &runtime.Failure{Category: *a.Failed, Message: a.Message, Cost: a.Cost}
	case a.Data != nil && a.Event == nil:
		return runtime.Result{}, fmt.Errorf("its answer has data, and names no event: %s", beginning(line))
	}
	result := runtime.Result{Data: a.Data, Cost: a.Cost}
	if a.Event != nil {
		result.Event = *a.Event
	}
	return result, nil
}

// late makes of an answer what it is worth after the attempt was asked to stop, be it that the
// process had ended by then; ctx is done where it was. Where the engine has asked, it knows what
// to make of it; where this package has, because a checkpoint was not stored, the cost
// alone counts.
func late(ctx context.Context) func(runtime.Result, error) (runtime.Result, error) {
	return func(r runtime.Result, err error) (runtime.Result, error) {
		asked := context.Cause(ctx)
		if asked == nil {
			return r, err
		}
		for _, cause := range []error{runtime.ErrMoved, runtime.ErrFenced, runtime.ErrOverdue, runtime.ErrStopped} {
			if errors.Is(asked, cause) {
				return r, err
			}
		}
		if failure, ok := errors.AsType[*runtime.Failure](err); ok {
			r.Cost = failure.Cost
		}
		return runtime.Result{Cost: r.Cost}, asked
	}
}

// verdict reads the last line of a guard.
func (o *output) verdict() (bool, error) {
	if err := o.end(); err != nil {
		return false, err
	}
	switch string(o.last) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("its last line is neither true nor false: %s", beginning(o.last))
}

// signs deals with a heartbeat or a checkpoint, and reports whether line is
// one. An attempt whose checkpoint cannot be stored is cancelled.
func signs(a *runtime.Attempt, said reports, line []byte, cut bool, cancel func(error)) bool {
	switch {
	case line[0] != '{':
		return false
	case cut:
		long := bytes.HasPrefix(bytes.TrimSpace(line[1:]), []byte(`"progress"`))
		if long {
			cancel(fmt.Errorf("its checkpoint was not stored: its line is longer than %d bytes", maxLine))
		}
		return long
	}
	var sign struct {
		Heartbeat bool            `json:"heartbeat"`
		Log       *string         `json:"log"`
		Progress  json.RawMessage `json:"progress"`
		Cost      costs           `json:"cost"`
	}
	if decode(line, &sign) != nil {
		return false
	}
	if sign.Log != nil {
		_, _ = io.WriteString(a.Stderr(), *sign.Log+"\n")
	}
	switch {
	case sign.Progress != nil:
		if err := said.note(a, sign.Cost); err != nil {
			cancel(fmt.Errorf("its cost was not noted: %w", err))
			return true
		}
		if err := a.Progress(sign.Progress); err != nil {
			cancel(fmt.Errorf("its checkpoint was not stored: %w", err))
		}
		return true
	case sign.Heartbeat:
		a.Heartbeat()
		return true
	}
	return sign.Log != nil
}

// decode reads one JSON object that has no other members than v.
func decode(line []byte, v any) error {
	if line[0] != '{' {
		return errors.New("it is no JSON object")
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fmt.Errorf("field %q cannot be a %s", wrong.Field, wrong.Value)
		}
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more behind the object")
	}
	return exact(line)
}

// exact refuses what encoding/json lets pass of a valid object: a member that is given
// twice, of which the last would count, and a name that is only nearly that of a member.
func exact(object []byte) error {
	seen := map[string]bool{}
	return members(object, func(name string, _ json.RawMessage) error {
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
			return fmt.Errorf("unknown field %q", name)
		}
		if seen[name] {
			return givenTwice(name)
		}
		seen[name] = true
		return nil
	})
}

// givenTwice names the member that an object has twice.
type givenTwice string

func (name givenTwice) Error() string { return fmt.Sprintf("field %q is given twice", string(name)) }

// maxQuoted is how much of a bad line a message quotes.
const maxQuoted = 80

func beginning(line []byte) string {
	if len(line) <= maxQuoted {
		return fmt.Sprintf("%q", line)
	}
	return fmt.Sprintf("%q…", line[:maxQuoted])
}
