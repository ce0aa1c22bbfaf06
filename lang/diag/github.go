package diag

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// WriteGitHub writes list as workflow commands, one a line, which GitHub
// Actions turns into annotations of the lines at fault. The error is the first
// one that w returned.
//
// The form and its escapes are those of actions/toolkit, packages/core,
// src/command.ts. A span over several lines has no columns, as the checks API
// takes them only within one line.
func WriteGitHub(w io.Writer, list List) error {
	b := bufio.NewWriter(w)
	for _, d := range list {
		fmt.Fprintf(b, "::%s %s::%s\n", level(d.Severity, "notice"), gitHubProperties(d), escapeMessage(gitHubMessage(d)))
	}
	return b.Flush()
}

func gitHubProperties(d Diagnostic) string {
	var props []string
	add := func(name string, value any) {
		props = append(props, name+"="+escapeProperty(fmt.Sprint(value)))
	}
	start, end := d.Span.Start, d.Span.End
	if start.Filename != "" {
		add("file", filepath.ToSlash(start.Filename))
	}
	if start.IsValid() {
		add("line", start.Line)
		add("endLine", max(start.Line, end.Line))
		if start.Line == end.Line {
			add("col", start.Column)
			add("endColumn", end.Column)
		}
	}
	add("title", d.Rule)
	return strings.Join(props, ",")
}

// gitHubMessage is the message with the related places and the help, which an
// annotation has no fields of their own for.
func gitHubMessage(d Diagnostic) string {
	lines := []string{d.Message}
	for _, r := range d.Related {
		lines = append(lines, strings.TrimPrefix(r.Span.String()+": "+r.Message, ": "))
	}
	if d.Help != "" {
		lines = append(lines, "help: "+d.Help)
	}
	return strings.Join(lines, "\n")
}

var (
	escapeMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace
)
