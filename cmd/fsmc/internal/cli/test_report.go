package cli

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/scenario"
)

// tested is what test has found out.
type tested struct {
	list  []played
	cover []covered // nil unless asked for
}

func (r *tested) failed() (n int) {
	for i := range r.list {
		if r.list[i].Failure != nil {
			n++
		}
	}
	return n
}

type testReport func(io.Writer, *tested) error

func writeTestText(w io.Writer, r *tested) error {
	var b bytes.Buffer
	for i := range r.list {
		if f := r.list[i].Failure; f != nil {
			fmt.Fprintf(&b, "%s: %q fails\n%s\n", f.Place, r.list[i].test.Plan.Title, failureText(f))
		}
	}
	if n := r.failed(); n > 0 {
		fmt.Fprintf(&b, "%d of %s failed\n", n, describe.Count(len(r.list), "scenario"))
	} else {
		fmt.Fprintf(&b, "%s passed\n", describe.Count(len(r.list), "scenario"))
	}
	for i := range r.cover {
		r.cover[i].write(&b)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// failureText is what was expected, what is, and what the run did until then.
func failureText(f *scenario.Failed) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "    %s\n    expected: %s\n    is:       %s\n", f.Line, describe.Plain(f.Expected, 1000), describe.Plain(f.Is, 1000))
	from := max(0, len(f.Path)-mostShown)
	if from > 0 {
		fmt.Fprintf(&b, "    ... %s before\n", describe.Count(from, "step"))
	}
	for i := from; i < len(f.Path); i++ {
		fmt.Fprintf(&b, "    %s\n", stepText(&f.Path[i]))
	}
	return b.String()
}

// mostShown is how many steps of a path are shown.
const mostShown = 40

// stepText is one step of a path.
func stepText(s *machine.StepView) string {
	at := machine.DurationText(s.At.Sub(scenario.Began))
	switch {
	case s.From == "":
		return fmt.Sprintf("%6s  start -> %s", at, s.To)
	case s.From != s.To || s.Effect == machine.Moved:
		return fmt.Sprintf("%6s  %s -> %s  (%s)", at, s.From, s.To, s.Input)
	case s.Activity != "" && s.Input == string(s.Effect): // it had nothing to say, and others are open
		return fmt.Sprintf("%6s  %s  (%s %s)", at, s.To, s.Activity, s.Effect)
	}
	if of, ended := strings.CutSuffix(s.Input, "."+string(s.Effect)); ended { // of a label, or an element of a list
		return fmt.Sprintf("%6s  %s  (%s %s)", at, s.To, of, s.Effect)
	}
	return fmt.Sprintf("%6s  %s  (%s, %s)", at, s.To, s.Input, s.Effect)
}

// testJSON is a scenario as --format json has it.
type testJSON struct {
	Title   string           `json:"title"`
	Machine string           `json:"machine"`
	Place   string           `json:"place"`
	Passed  bool             `json:"passed"`
	Failure *scenario.Failed `json:"failure,omitempty"`
}

func writeTestJSON(w io.Writer, r *tested) error {
	out := struct {
		Scenarios []testJSON `json:"scenarios"`
		Failed    int        `json:"failed"`
		Cover     []covered  `json:"cover,omitempty"`
	}{[]testJSON{}, r.failed(), r.cover}
	for i := range r.list {
		p := &r.list[i]
		out.Scenarios = append(out.Scenarios, testJSON{p.test.Plan.Title, p.test.Plan.Machine, p.test.Plan.Place, p.Failure == nil, p.Failure})
	}
	return printJSON(w, out)
}

// Elements of a JUnit file.
type (
	junitSuite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		File    string        `xml:"file,attr"`
		Line    int           `xml:"line,attr"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

func writeTestJUnit(w io.Writer, r *tested) error {
	suite := junitSuite{Name: "fsmc test", Tests: len(r.list), Failures: r.failed()}
	for i := range r.list {
		p := &r.list[i]
		at := p.test.Scenario.Span.Start
		c := junitCase{Class: p.test.Plan.Machine, Name: p.test.Plan.Title, File: at.Filename, Line: at.Line}
		if f := p.Failure; f != nil {
			c.Failure = &junitFailure{"expected " + f.Expected + ", is " + f.Is, f.Place + "\n" + failureText(f)}
		}
		suite.Cases = append(suite.Cases, c)
	}
	out, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, out)
	return err
}
