// Package proto holds the types of the language server protocol that fsmc speaks: its
// part of version 3.18, under the names that the protocol has. A test holds them to the
// protocol's own model.
package proto

// Position is a place in a text. Both count from 0; Character in the units that were
// agreed upon when the server was started.
type Position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// Range is a stretch of a text; End does not belong to it.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Location is a stretch of some text.
type Location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

// TextEdit replaces Range by NewText.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// WorkspaceEdit is a change of several texts, by URI.
type WorkspaceEdit struct {
	Changes map[string][]TextEdit `json:"changes,omitempty"`
}

// TextDocumentIdentifier names a text.
type TextDocumentIdentifier struct {
	URI string `json:"uri"`
}

// VersionedTextDocumentIdentifier names a version of a text.
type VersionedTextDocumentIdentifier struct {
	URI     string `json:"uri"`
	Version int32  `json:"version"`
}

// TextDocumentItem is a text that is opened.
type TextDocumentItem struct {
	URI        string `json:"uri"`
	LanguageID string `json:"languageId"`
	Version    int32  `json:"version"`
	Text       string `json:"text"`
}

// TextDocumentPositionParams names a place in a text.
type TextDocumentPositionParams struct {
	DocumentParams
	Position Position `json:"position"`
}

// DidOpenTextDocumentParams says that a text is opened.
type DidOpenTextDocumentParams struct {
	TextDocument TextDocumentItem `json:"textDocument"`
}

// DidCloseTextDocumentParams says that a text is closed.
type DidCloseTextDocumentParams struct{ DocumentParams }

// DidChangeTextDocumentParams says how a text is changed, one change after the other.
type DidChangeTextDocumentParams struct {
	TextDocument   VersionedTextDocumentIdentifier  `json:"textDocument"`
	ContentChanges []TextDocumentContentChangeEvent `json:"contentChanges"`
}

// TextDocumentContentChangeEvent is one change: of the whole text where Range is nil.
type TextDocumentContentChangeEvent struct {
	Range *Range `json:"range,omitempty"`
	Text  string `json:"text"`
}

// PublishDiagnosticsParams are all findings of a text.
type PublishDiagnosticsParams struct {
	URI         string       `json:"uri"`
	Version     *int32       `json:"version,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Diagnostic is a finding.
type Diagnostic struct {
	Range              Range                          `json:"range"`
	Severity           DiagnosticSeverity             `json:"severity,omitempty"`
	Code               string                         `json:"code,omitempty"`
	CodeDescription    *CodeDescription               `json:"codeDescription,omitempty"`
	Source             string                         `json:"source,omitempty"`
	Message            string                         `json:"message"`
	Tags               []DiagnosticTag                `json:"tags,omitempty"`
	RelatedInformation []DiagnosticRelatedInformation `json:"relatedInformation,omitempty"`
}

// CodeDescription is where a page about the code of a finding is.
type CodeDescription struct {
	Href string `json:"href"`
}

// DiagnosticRelatedInformation is a second place that belongs to a finding.
type DiagnosticRelatedInformation struct {
	Location Location `json:"location"`
	Message  string   `json:"message"`
}

// DiagnosticSeverity says how much a finding weighs.
type DiagnosticSeverity uint32

const (
	SeverityError   DiagnosticSeverity = 1
	SeverityWarning DiagnosticSeverity = 2
	SeverityHint    DiagnosticSeverity = 4
)

// DiagnosticTag says how a finding is shown.
type DiagnosticTag uint32

// TagUnnecessary fades what nothing uses.
const TagUnnecessary DiagnosticTag = 1

// MessageType says how much a message weighs.
type MessageType uint32

const (
	MessageError MessageType = 1
	MessageInfo  MessageType = 3
)

// ShowMessageParams is a message for the person at the editor.
type ShowMessageParams struct {
	Type    MessageType `json:"type"`
	Message string      `json:"message"`
}
