package lsp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// folder is a folder with open texts: one unit. Its findings come in waves: of syntax and
// names at once; after some quiet those of rules, as far as few configurations tell; then
// all of them. A newer edit ends what is under way. What rules found before stays, at the
// places to which edits have moved it, until they have been applied again: nothing flashes.
type folder struct {
	server *server
	key    string
	stop   context.CancelFunc
	wake   chan struct{}

	mu     sync.Mutex
	latest *snapshot
	giveUp context.CancelFunc // what is under way about an older snapshot
	rules  []kept             // what rules have found
	worst  map[string]*check.Worst
	whole  *snapshot       // of which all is known: the third wave is over
	ended  *snapshot       // of which the waves are over
	told   map[string]bool // texts about which something was published
}

// kept is a finding, at a place of the latest texts.
type kept struct {
	diag.Diagnostic
	start, end int
	in         *snapshot // in which it was found
}

func newFolder(s *server, key string) *folder {
	ctx, stop := context.WithCancel(context.Background())
	f := &folder{server: s, key: key, stop: stop, wake: make(chan struct{}, 1), told: map[string]bool{}}
	go f.work(ctx)
	return f
}

// close ends the work and takes all findings back.
func (f *folder) close() {
	f.stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.giveUp != nil {
		f.giveUp()
	}
	f.latest = nil
	for path := range f.told {
		f.publish(proto.PublishDiagnosticsParams{URI: uriOf(path), Diagnostics: []proto.Diagnostic{}})
	}
}

// renew makes the texts as they are now the latest, of which the one at path has been
// edited so. What was found there before moves along in the same moment: what is shown
// belongs to one text.
func (f *folder) renew(docs map[string]*document, path string, edits ...edit) {
	f.mu.Lock()
	for _, e := range edits {
		f.move(path, e)
	}
	f.latest = newSnapshot(f, docs)
	if f.giveUp != nil {
		f.giveUp()
	}
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// file is the text at path, if it is one of those of the unit; else nil.
func (f *folder) file(path string) *token.File {
	f.mu.Lock()
	s := f.latest
	f.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.file(path)
}

// move moves what was found in a text along with an edit of it.
func (f *folder) move(path string, e edit) {
	for i := range f.rules {
		if k := &f.rules[i]; k.Span.Start.Filename == path {
			k.start, k.end = e.moved(k.start, false), e.moved(k.end, true)
		}
	}
}

// work goes through the waves of the latest snapshot, again and again.
func (f *folder) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		}
		wave, cancel := context.WithCancel(ctx)
		f.mu.Lock()
		s := f.latest
		f.giveUp = cancel
		f.mu.Unlock()
		if s != nil {
			f.waves(wave, s)
			if f.knows(s) {
				f.server.refresh()
			}
		}
		f.mu.Lock()
		f.ended = s
		f.mu.Unlock()
		cancel()
	}
}

func (f *folder) waves(ctx context.Context, s *snapshot) {
	s.unit()
	f.show(ctx, s, func() {})
	select {
	case <-ctx.Done():
		return
	case <-time.After(f.server.Quiet):
	}
	f.apply(ctx, s, f.server.Small, false)
	long, cancel := context.WithTimeout(ctx, f.server.Budget)
	defer cancel()
	if f.knows(s) { // the figures are for lenses and hover: nobody waits for them
		f.figure(long, s)
		return
	}
	f.apply(long, s, f.server.Limit, true)
	if ctx.Err() == nil && long.Err() != nil { // what is left open stays so
		f.apply(ctx, s, f.server.Small, true)
	}
}

// knows reports whether all is known of a snapshot.
func (f *folder) knows(s *snapshot) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.whole == s
}

// apply applies the rules, and shows what they find. Before the last wave, what it may
// find more is kept from the time before, and what is open is not told.
func (f *folder) apply(ctx context.Context, s *snapshot, limit int, last bool) {
	var list diag.List
	var worst []*check.Worst
	var err error
	if last {
		list, worst, err = check.VisitsContext(ctx, s.unit().Program, all.Rules, limit)
	} else {
		list, err = check.RunContext(ctx, s.unit().Program, all.Rules, limit)
	}
	if err != nil {
		return
	}
	f.show(ctx, s, func() {
		var found []kept
		open := false
		for _, d := range list {
			if open = open || d.Rule == "undecided"; d.Rule != "undecided" || last {
				found = append(found, kept{d, d.Span.Start.Offset, d.Span.End.Offset, s})
			}
		}
		if open && !last {
			for _, k := range f.rules {
				if !slices.ContainsFunc(found, k.is) {
					found = append(found, k)
				}
			}
		}
		f.rules = found
		if last {
			f.keep(s, worst)
		}
		if last || !open {
			f.whole = s
		}
	})
}

// keep keeps the worst cases, in the order of the machines.
func (f *folder) keep(s *snapshot, worst []*check.Worst) {
	f.worst = map[string]*check.Worst{}
	for i, m := range s.unit().Program.Machines {
		f.worst[m.Name] = worst[i]
	}
}

func (f *folder) figure(ctx context.Context, s *snapshot) {
	_, worst, err := check.VisitsContext(ctx, s.unit().Program, nil, f.server.Limit)
	if err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keep(s, worst)
}

// is reports whether k and other say the same of the same place.
func (k kept) is(other kept) bool {
	return k.Rule == other.Rule && k.Message == other.Message && k.start == other.start && k.Span.Start.Filename == other.Span.Start.Filename
}

// show publishes all findings, once change has been made to what rules found; nothing
// where there is a newer snapshot.
func (f *folder) show(ctx context.Context, s *snapshot, change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil || f.latest != s {
		return
	}
	change()
	byFile := map[string][]proto.Diagnostic{}
	for path := range f.told {
		byFile[path] = []proto.Diagnostic{}
	}
	for path, d := range s.docs {
		byFile[path] = []proto.Diagnostic{}
		if d.lost != "" {
			byFile[path] = append(byFile[path], proto.Diagnostic{Severity: proto.SeverityError, Source: "fsmc", Message: d.lost})
		}
	}
	for _, d := range s.unit().Diags {
		byFile[d.Span.Start.Filename] = append(byFile[d.Span.Start.Filename], s.finding(d, d.Span))
	}
	for _, k := range f.rules {
		path := k.Span.Start.Filename
		if file := s.file(path); file != nil {
			byFile[path] = append(byFile[path], s.finding(k.Diagnostic, file.Span(k.start, k.end)))
		}
	}
	for path, list := range byFile {
		p := proto.PublishDiagnosticsParams{URI: s.uriOf(path), Diagnostics: list}
		if d := s.docs[path]; d != nil {
			p.Version = &d.version
		}
		f.told[path] = true
		f.publish(p)
	}
}

func (f *folder) publish(p proto.PublishDiagnosticsParams) {
	_ = f.server.conn.Notify(context.Background(), "textDocument/publishDiagnostics", p) // an error is that the editor is gone
}

// rulePages is where the pages of rules are for a browser.
const rulePages = "https://github.com/fsmc-dev/fsmc/blob/main/check/rule/"

// finding is d, at a place, as the protocol has it.
func (s *snapshot) finding(d diag.Diagnostic, at token.Span) proto.Diagnostic {
	out := proto.Diagnostic{Range: s.rangeOf(at), Severity: severities[d.Severity], Code: d.Rule, Source: "fsmc", Message: sentence(d)}
	if page(d.Rule) != "" {
		out.CodeDescription = &proto.CodeDescription{Href: rulePages + d.Rule + "/page.md"}
	}
	if d.Rule == "unused" {
		out.Tags = []proto.DiagnosticTag{proto.TagUnnecessary}
	}
	for _, r := range d.Related {
		if r.Span.IsValid() && s.file(r.Span.Start.Filename) != nil {
			out.RelatedInformation = append(out.RelatedInformation, proto.DiagnosticRelatedInformation{Location: s.locationOf(r.Span), Message: r.Message})
		}
	}
	return out
}

var severities = map[diag.Severity]proto.DiagnosticSeverity{
	diag.Error: proto.SeverityError, diag.Warning: proto.SeverityWarning, diag.Hint: proto.SeverityHint,
}

// sentence is what d says: its message, what to do, and the run that shows it.
func sentence(d diag.Diagnostic) string {
	text := d.Message
	if d.Help != "" {
		text += "\n" + d.Help
	}
	if d.Witness != nil && len(d.Witness.Path) > 0 {
		text += "\nRun: " + runOf(d.Witness)
	}
	return text
}

// maxSteps is how many steps of a run a finding shows.
const maxSteps = 12

// runOf is a run on one line: "Idle, Start, Working, after 1m, Late".
func runOf(w *diag.Witness) string {
	var parts []string
	for i, step := range w.Path {
		if i == maxSteps {
			parts = append(parts, "…")
			break
		}
		if step.State != "" {
			parts = append(parts, step.State)
		}
		if step.Input != "" {
			parts = append(parts, "("+step.Input+")")
		}
	}
	return strings.Join(parts, " ")
}

// view is an open text as it is now.
func (s *server) view(uri string) (*view, error) {
	d := s.docs[uri]
	if d == nil {
		return nil, errors.New("the text is not open: " + uri)
	}
	f := s.folderOf(d)
	f.mu.Lock()
	defer f.mu.Unlock()
	return &view{snapshot: f.latest, doc: d, now: s.byPath()}, nil
}
