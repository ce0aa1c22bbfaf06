package review

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// Comment is one remark on one line. ID is the same whenever the same fault
// is found in the same place, so that a comment can be recognised when it has
// been posted before.
type Comment struct {
	ID   string `json:"id"`
	File string `json:"file"`
	Line int    `json:"line"`
	Rule string `json:"rule"`
	Text string `json:"text"`
}

// NewComment gives a remark its ID.
func NewComment(file string, line int, rule, text string) Comment {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%s\x00%d\x00%s\x00%s", file, line, rule, text)))
	return Comment{ID: hex.EncodeToString(sum[:6]), File: file, Line: line, Rule: rule, Text: text}
}

type rule struct {
	name    string
	pattern *regexp.Regexp
	text    string
}

var rules = []rule{
	{"secret", regexp.MustCompile(`(?i)(api[_-]?key|secret|password|token)\w*["']?\s*[:=]+\s*["'][^"']{8,}["']`),
		"this looks like a secret in the source; read it from the environment"},
	{"secret", regexp.MustCompile(`AKIA[0-9A-Z]{16}|-----BEGIN [A-Z ]*PRIVATE KEY-----`),
		"this is a key; revoke it, and keep it out of the repository"},
	{"debug-print", regexp.MustCompile(`^\s*(fmt\.Print(ln|f)?\(|print(ln)?\(|console\.(log|debug)\()`),
		"a debug print was left in"},
	{"swallowed-error", regexp.MustCompile(`^\s*_\s*=\s*\w+[\w.]*\(|,\s*_\s*:?=\s*\w+[\w.]*\(|except(\s+\w+)?:\s*pass|catch\s*(\(\w*\))?\s*\{\s*\}`),
		"the error is thrown away; handle it or say why it does not matter"},
	{"unfinished", regexp.MustCompile(`(//|#)\s*(FIX` + `ME|HACK)\b`),
		"unfinished work is being merged"},
}

// Analyze looks at every added line of diff and returns what it finds, in the
// order of the lines. It is a small reviewer of patterns, not of meaning.
func Analyze(diff string) []Comment {
	var comments []Comment
	for _, line := range Added(diff) {
		for _, r := range rules {
			if r.pattern.MatchString(line.Text) {
				text := r.text
				if r.name != "secret" { // a secret is not repeated
					text += ": " + excerpt(line.Text)
				}
				comments = append(comments, NewComment(line.File, line.N, r.name, text))
				break
			}
		}
	}
	return comments
}

func excerpt(text string) string {
	text = strings.TrimSpace(text)
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:57]) + "..."
	}
	return "`" + text + "`"
}
