package diag

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/token"
)

const (
	sarifSchema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	fingerprint  = "ruleMachineMessage/v1"
	projectSite  = "https://github.com/fsmc-dev/fsmc"
	sarifVersion = "2.1.0"
)

// RuleInfo describes a rule to tools that show findings.
type RuleInfo struct {
	ID           string // kebab-case, as in Diagnostic.Rule
	Summary      string
	HelpMarkdown string // the rule's page; may be empty
	Group        string // the part of the reference in which it stands; may be empty
	Severity     Severity
}

// SARIFOptions is what a log tells beside the findings. The zero value leaves
// it all out.
type SARIFOptions struct {
	Version string // of fsmc
	Rules   []RuleInfo

	// State is where the state of a witness of d is declared, an invalid span
	// where that is not known. A row without a place of its own is told at the
	// place of the finding.
	State func(d *Diagnostic, state string) token.Span
}

// WriteSARIF writes list as a SARIF 2.1.0 log of one run of fsmc. Columns are
// counted in UTF-16 units, for which sources gives the texts; of a file without
// a text they are counted in bytes. The error is the first one that w returned.
func WriteSARIF(w io.Writer, list List, sources Sources, opt SARIFOptions) error {
	driver := sarifDriver{Name: "fsmc", Version: opt.Version, InformationURI: projectSite, Rules: []sarifRule{}}
	index := map[string]int{}
	for i, r := range opt.Rules {
		index[r.ID] = i
		driver.Rules = append(driver.Rules, sarifRuleOf(r))
	}
	results := make([]sarifResult, len(list))
	seen := map[string]int{}
	for i, d := range list {
		results[i] = sarifResultOf(d, sources)
		results[i].CodeFlows = sarifFlow(&d, sources, opt.State)
		if at, known := index[d.Rule]; known {
			results[i].RuleIndex = &at
		}
		mark := fingerprintOf(d)
		seen[mark]++
		results[i].PartialFingerprints = map[string]string{fingerprint: fmt.Sprintf("%s:%d", mark, seen[mark])}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{
		Schema:  sarifSchema,
		Version: sarifVersion,
		Runs:    []sarifRun{{Tool: sarifTool{Driver: driver}, ColumnKind: "utf16CodeUnits", Results: results}},
	})
}

// fingerprintOf stays the same when the finding moves to another line. Of
// findings that share it the first is number 1, and so on.
func fingerprintOf(d Diagnostic) string {
	sum := sha256.Sum256([]byte(d.Rule + "\x00" + d.Machine + "\x00" + d.Message))
	return hex.EncodeToString(sum[:16])
}

func sarifRuleOf(r RuleInfo) sarifRule {
	rule := sarifRule{ID: r.ID, ShortDescription: sarifMessage{Text: r.Summary}}
	rule.DefaultConfiguration.Level = level(r.Severity, "note")
	if r.HelpMarkdown != "" {
		rule.FullDescription = &sarifMessage{Text: firstParagraph(r.HelpMarkdown)}
		rule.Help = &sarifMessage{Text: r.HelpMarkdown, Markdown: r.HelpMarkdown}
	}
	if r.Group != "" {
		rule.Properties = &sarifTags{Tags: []string{r.Group}}
	}
	return rule
}

// firstParagraph is the first paragraph of a page below its heading.
func firstParagraph(page string) string {
	text := strings.TrimSpace(page)
	if heading, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(heading, "#") {
		text = strings.TrimSpace(rest)
	}
	text, _, _ = strings.Cut(text, "\n\n")
	return text
}

func sarifResultOf(d Diagnostic, sources Sources) sarifResult {
	text := d.Message
	if d.Help != "" {
		text += "\n" + d.Help
	}
	result := sarifResult{RuleID: d.Rule, Level: level(d.Severity, "note"), Message: sarifMessage{Text: text}}
	if place := sarifPlace(d.Span, sources); place != nil {
		result.Locations = []sarifLocation{{PhysicalLocation: place}}
	}
	for i, r := range d.Related {
		result.RelatedLocations = append(result.RelatedLocations, sarifLocation{
			ID:               i + 1,
			PhysicalLocation: sarifPlace(r.Span, sources),
			Message:          &sarifMessage{Text: r.Message},
		})
	}
	for _, f := range d.Fixes {
		result.Fixes = append(result.Fixes, sarifFixOf(f, sources))
	}
	return result
}

func sarifFixOf(f Fix, sources Sources) sarifFix {
	fix := sarifFix{Description: sarifMessage{Text: f.Message}}
	for _, e := range f.Edits {
		place := sarifPlace(e.Span, sources)
		fix.Changes = append(fix.Changes, sarifChange{
			ArtifactLocation: place.ArtifactLocation,
			Replacements:     []sarifReplacement{{DeletedRegion: place.Region, InsertedContent: sarifMessage{Text: e.Text}}},
		})
	}
	return fix
}

// sarifFlow is the witness's path, each row at the place of its state.
func sarifFlow(d *Diagnostic, sources Sources, state func(*Diagnostic, string) token.Span) []sarifCodeFlow {
	if d.Witness == nil || len(d.Witness.Path) == 0 {
		return nil
	}
	rows := make([]sarifFlowStep, len(d.Witness.Path))
	for i, s := range d.Witness.Path {
		span := d.Span
		if state != nil {
			if own := state(d, s.State); own.IsValid() {
				span = own
			}
		}
		rows[i] = sarifFlowStep{ExecutionOrder: i + 1, Location: sarifLocation{
			PhysicalLocation: sarifPlace(span, sources),
			Message:          &sarifMessage{Text: d.Witness.rowText(i)},
		}}
	}
	return []sarifCodeFlow{{
		Message:     flowMessage(d.Witness),
		ThreadFlows: []sarifThreadFlow{{Locations: rows}},
	}}
}

// rowText is row i of the path in one line.
func (w *Witness) rowText(i int) string {
	s := w.Path[i]
	text := strings.TrimRight(s.State+" "+arrow(s), " ")
	if s.At != "" {
		text = s.At + ": " + text
	}
	if i == len(w.Path)-1 && w.loops() {
		text += fmt.Sprintf(", and on from step %d without end", w.Loop+1)
	}
	return text
}

// flowMessage tells the values that belong to the witness, nil where there are
// none.
func flowMessage(w *Witness) *sarifMessage {
	var parts []string
	if len(w.Params) > 0 {
		parts = append(parts, "started with "+assignments(w.Params, ", "))
	}
	if len(w.Values) > 0 {
		parts = append(parts, "with "+assignments(w.Values, ", "))
	}
	if len(parts) == 0 {
		return nil
	}
	return &sarifMessage{Text: strings.Join(parts, "; ")}
}

// level is what another tool calls s; a hint has a name of its own there.
func level(s Severity, hint string) string {
	if s == Hint {
		return hint
	}
	return s.String()
}

// sarifPlace is nil for a finding that belongs to no file.
func sarifPlace(span token.Span, sources Sources) *sarifPhysical {
	if span.Start.Filename == "" {
		return nil
	}
	place := &sarifPhysical{ArtifactLocation: sarifArtifact{URI: fileURI(span.Start.Filename)}}
	if span.IsValid() {
		f := sources.file(span.Start)
		place.Region = &sarifRegion{
			StartLine:   span.Start.Line,
			StartColumn: utf16Column(f, span.Start),
			EndLine:     span.End.Line,
			EndColumn:   utf16Column(f, span.End),
		}
	}
	return place
}

func utf16Column(f *token.File, p token.Pos) int {
	if f == nil {
		return p.Column
	}
	return f.UTF16Column(p)
}

// fileURI is a relative reference for a relative name and a file URI for an
// absolute one.
func fileURI(name string) string {
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
		if !strings.HasPrefix(u.Path, "/") {
			u.Path = "/" + u.Path // a drive letter
		}
	}
	return u.String()
}
