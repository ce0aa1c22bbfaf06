package diag

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/token"
)

// Sources finds the source text of a file by the name that positions bear, nil
// where there is none. A nil Sources has no texts at all.
type Sources func(filename string) *token.File

func (s Sources) file(p token.Pos) *token.File {
	if s == nil || !p.IsValid() {
		return nil
	}
	return s(p.Filename)
}

// TextOptions is how WriteText writes.
type TextOptions struct {
	Color bool // ANSI colours, for a terminal
}

// WriteText writes list for a person, in the order in which it stands: for
// each diagnostic its place and message, the line with carets below the fault,
// the related places, the witness drawn as a path, and the help. Diagnostics
// are parted by blank lines. The error is the first one that w returned.
func WriteText(w io.Writer, list List, sources Sources, opt TextOptions) error {
	p := &textPrinter{w: bufio.NewWriter(w), sources: sources, color: opt.Color}
	for i := range list {
		if i > 0 {
			p.line("")
		}
		p.diagnostic(&list[i])
	}
	return p.w.Flush()
}

// WriteWitness draws w alone, as WriteText does. The error is the first one that
// out returned.
func WriteWitness(out io.Writer, w *Witness, opt TextOptions) error {
	p := &textPrinter{w: bufio.NewWriter(out), color: opt.Color}
	p.path(w)
	return p.w.Flush()
}

// Summary is one line that counts list: "2 errors, 1 warning in 3 files".
func Summary(list List) string {
	var counts []string
	for _, s := range []Severity{Error, Warning, Hint} {
		if n := list.Count(s); n > 0 {
			counts = append(counts, Count(n, s.String()))
		}
	}
	if len(counts) == 0 {
		return "no findings"
	}
	files := map[string]bool{}
	for _, d := range list {
		files[d.Span.Start.Filename] = true
	}
	return strings.Join(counts, ", ") + " in " + Count(len(files), "file")
}

// Count is n with noun in the right number: "1 file", "2 files".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Article is the indefinite article and noun.
func Article(noun string) string {
	if strings.ContainsRune("aeiouAEIOU", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// textPrinter writes diagnostics. bufio.Writer keeps the first error and makes
// what follows it do nothing, so that writes are not checked one by one.
type textPrinter struct {
	w       *bufio.Writer
	sources Sources
	color   bool
	indent  string
	gutter  int // digits of the largest line number of this diagnostic
}

func (p *textPrinter) diagnostic(d *Diagnostic) {
	p.gutter = gutterWidth(d)
	p.line(p.place(d.Span), p.paint(severityColor(d.Severity), d.Severity.String()+":"), " ",
		p.paint(bold, d.Message), " ", p.paint(faint, "["+d.Rule+"]"))
	p.excerpt(d.Span, severityColor(d.Severity))
	for _, r := range d.Related {
		p.line("  ", p.place(r.Span), r.Message)
		p.excerpt(r.Span, blue)
	}
	p.witness(d.Witness)
	if d.Help != "" {
		p.line("  ", p.paint(green, "help:"), " ", strings.ReplaceAll(Harmless(d.Help), "\n", "\n        "))
	}
}

// place is what stands before a message: "file:line:column: ".
func (p *textPrinter) place(span token.Span) string {
	if s := Harmless(span.String()); s != "" {
		return p.paint(bold, s+":") + " "
	}
	return ""
}

func (p *textPrinter) excerpt(span token.Span, color string) {
	f := p.sources.file(span.Start)
	if f == nil {
		return
	}
	text, carets := excerpt(f, span)
	number := fmt.Sprintf("  %*d |", p.gutter, span.Start.Line)
	blank := fmt.Sprintf("  %*s |", p.gutter, "")
	p.line(p.paint(blue, number), strings.TrimRight(" "+text, " "))
	p.line(p.paint(blue, blank), " ", p.paint(color, carets))
}

func (p *textPrinter) line(parts ...string) {
	p.w.WriteString(p.indent)
	for _, s := range parts {
		p.w.WriteString(s)
	}
	p.w.WriteByte('\n')
}

func gutterWidth(d *Diagnostic) int {
	last := d.Span.Start.Line
	for _, r := range d.Related {
		last = max(last, r.Span.Start.Line)
	}
	return len(strconv.Itoa(last))
}

// ANSI "select graphic rendition" sequences.
const (
	bold   = "\x1b[1m"
	faint  = "\x1b[2m"
	red    = "\x1b[1;31m"
	green  = "\x1b[1;32m"
	yellow = "\x1b[1;33m"
	blue   = "\x1b[34m"
	cyan   = "\x1b[1;36m"
	plain  = "\x1b[0m"
)

func (p *textPrinter) paint(color, s string) string {
	if !p.color || strings.TrimSpace(s) == "" {
		return s
	}
	return color + s + plain
}

func severityColor(s Severity) string {
	switch s {
	case Error:
		return red
	case Warning:
		return yellow
	}
	return cyan
}
