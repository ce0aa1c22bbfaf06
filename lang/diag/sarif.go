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
	Severity     Severity
}

// WriteSARIF writes list as a SARIF 2.1.0 log of one run of fsmc. toolVersion
// may be empty. Columns are counted in UTF-16 units, for which sources gives
// the texts; of a file without a text they are counted in bytes. The error is
// the first one that w returned.
func WriteSARIF(w io.Writer, list List, sources Sources, rules []RuleInfo, toolVersion string) error {
	driver := sarifDriver{Name: "fsmc", Version: toolVersion, InformationURI: projectSite, Rules: []sarifRule{}}
	index := map[string]int{}
	for i, r := range rules {
		index[r.ID] = i
		driver.Rules = append(driver.Rules, sarifRuleOf(r))
	}
	results := make([]sarifResult, len(list))
	seen := map[string]int{}
	for i, d := range list {
		results[i] = sarifResultOf(d, sources)
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
	rule.DefaultConfiguration.Level = sarifLevel(r.Severity)
	if r.HelpMarkdown != "" {
		rule.Help = &sarifMessage{Text: r.Summary, Markdown: r.HelpMarkdown}
	}
	return rule
}

func sarifResultOf(d Diagnostic, sources Sources) sarifResult {
	text := d.Message
	if d.Help != "" {
		text += "\n" + d.Help
	}
	result := sarifResult{RuleID: d.Rule, Level: sarifLevel(d.Severity), Message: sarifMessage{Text: text}}
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
	result.CodeFlows = sarifFlow(d, sources)
	return result
}

// sarifFlow is the witness's path. Its rows have no places of their own: each
// is told at the place of the finding.
func sarifFlow(d Diagnostic, sources Sources) []sarifCodeFlow {
	if d.Witness == nil || len(d.Witness.Path) == 0 {
		return nil
	}
	place := sarifPlace(d.Span, sources)
	var rows []sarifFlowStep
	for _, s := range d.Witness.Path {
		text := strings.TrimRight(s.State+" "+arrow(s), " ")
		if s.At != "" {
			text = s.At + ": " + text
		}
		rows = append(rows, sarifFlowStep{Location: sarifLocation{
			PhysicalLocation: place,
			Message:          &sarifMessage{Text: text},
		}})
	}
	return []sarifCodeFlow{{ThreadFlows: []sarifThreadFlow{{Locations: rows}}}}
}

func sarifLevel(s Severity) string {
	if s == Hint {
		return "note"
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
