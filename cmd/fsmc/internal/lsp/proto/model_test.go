package proto

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

// model is the protocol's description of itself, as far as it describes our types:
// protocol/metaModel.json of github.com/microsoft/vscode-languageserver-node, MIT licence.
type model struct {
	Structures []struct {
		Name            string
		Properties      []property
		Extends, Mixins []kind
	}
	Enumerations []struct {
		Name   string
		Values []struct{ Value any }
	}
	TypeAliases []struct {
		Name string
		Type kind
	}
}

type property struct {
	Name     string
	Type     kind
	Optional bool
}

type kind struct {
	Kind    string
	Name    string
	Element *kind
	Items   []kind
	Value   json.RawMessage
}

// types are ours, by the names that the protocol has for them. Of those that the server
// sends, all that is not optional has to be there.
var sent = []any{
	Position{}, Range{}, Location{}, TextEdit{}, WorkspaceEdit{}, PublishDiagnosticsParams{}, Diagnostic{}, CodeDescription{}, DiagnosticRelatedInformation{},
	ShowMessageParams{}, InitializeResult{}, ServerInfo{}, ServerCapabilities{}, TextDocumentSyncOptions{}, RenameOptions{}, CompletionOptions{},
	SemanticTokensOptions{}, SemanticTokensLegend{}, CodeLensOptions{}, ExecuteCommandOptions{}, Hover{}, MarkupContent{}, DocumentHighlight{}, CompletionItem{}, CodeAction{},
	FoldingRange{}, SelectionRange{}, DocumentSymbol{}, SymbolInformation{}, SemanticTokens{}, InlayHint{}, CodeLens{}, Command{},
	RegistrationParams{}, Registration{}, DidChangeWatchedFilesRegistrationOptions{}, FileSystemWatcher{},
}

var taken = []any{
	TextDocumentIdentifier{}, VersionedTextDocumentIdentifier{}, TextDocumentItem{}, TextDocumentPositionParams{}, DidOpenTextDocumentParams{},
	DidCloseTextDocumentParams{}, DidChangeTextDocumentParams{}, InitializeParams{}, WorkspaceFolder{}, ClientCapabilities{}, GeneralClientCapabilities{},
	ReferenceParams{}, ReferenceContext{}, RenameParams{}, CodeActionParams{}, CodeActionContext{}, SelectionRangeParams{}, WorkspaceSymbolParams{},
	InlayHintParams{}, CancelParams{}, ExecuteCommandParams{},
	WorkspaceClientCapabilities{}, CodeLensWorkspaceClientCapabilities{}, InlayHintWorkspaceClientCapabilities{}, DidChangeWatchedFilesClientCapabilities{},
}

// TestModel holds our types to the protocol's own model.
func TestModel(t *testing.T) {
	text, err := os.ReadFile("testdata/metaModel.json")
	if err != nil {
		t.Fatal(err)
	}
	var m model
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	for _, v := range sent {
		m.compare(t, reflect.TypeOf(v), true)
	}
	for _, v := range taken {
		m.compare(t, reflect.TypeOf(v), false)
	}
	m.compareNumbers(t, "SymbolKind", SymbolModule, SymbolClass, SymbolMethod, SymbolField, SymbolEnum, SymbolFunction, SymbolConstant, SymbolBoolean, SymbolStruct, SymbolEvent)
	m.compareNumbers(t, "DiagnosticSeverity", SeverityError, SeverityWarning, SeverityHint)
	m.compareNumbers(t, "DocumentHighlightKind", HighlightRead, HighlightWrite)
	m.compareNumbers(t, "CompletionItemKind", CompletionFunction, CompletionField, CompletionVariable, CompletionClass, CompletionModule, CompletionEnum, CompletionKeyword, CompletionSnippet, CompletionEnumMember, CompletionConstant, CompletionStruct, CompletionEvent)
	m.compareNumbers(t, "InsertTextFormat", InsertSnippet)
	m.compareNumbers(t, "TextDocumentSyncKind", SyncIncremental)
	m.compareNumbers(t, "MessageType", MessageError, MessageInfo)
	m.compareNumbers(t, "DiagnosticTag", TagUnnecessary)
}

// properties are those of a structure, by name; nil for one that the model has not.
func (m *model) properties(name string) map[string]property {
	for _, s := range m.Structures {
		if s.Name != name {
			continue
		}
		out := map[string]property{}
		for _, base := range append(s.Extends, s.Mixins...) {
			for name, p := range m.properties(base.Name) {
				out[name] = p
			}
		}
		for _, p := range s.Properties {
			out[p.Name] = p
		}
		return out
	}
	return nil
}

func (m *model) compare(t *testing.T, ours reflect.Type, whole bool) {
	t.Helper()
	properties := m.properties(ours.Name())
	if properties == nil {
		t.Errorf("the protocol has no %s", ours.Name())
		return
	}
	have := map[string]bool{}
	for _, f := range reflect.VisibleFields(ours) {
		if f.Anonymous {
			continue // its fields are visible themselves
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		have[name] = true
		p, known := properties[name]
		switch {
		case !known:
			t.Errorf("%s has no %s", ours.Name(), name)
		case whole && !p.Optional && options == "omitempty":
			t.Errorf("%s.%s is not optional, and may be left out", ours.Name(), name)
		case !m.fits(p.Type, f.Type):
			t.Errorf("%s.%s is %v, and not %s", ours.Name(), name, p.Type, f.Type)
		}
	}
	for name, p := range properties {
		if whole && !p.Optional && !have[name] {
			t.Errorf("%s has %s, which is not optional", ours.Name(), name)
		}
	}
}

// fits reports whether values of our type are of a type of the protocol, or of one of
// several.
func (m *model) fits(k kind, ours reflect.Type) bool {
	if ours.Kind() == reflect.Pointer {
		ours = ours.Elem()
	}
	switch k.Kind {
	case "base":
		switch k.Name {
		case "string", "URI", "DocumentUri":
			return ours.Kind() == reflect.String || ours.Kind() == reflect.Interface
		case "boolean":
			return ours.Kind() == reflect.Bool
		case "uinteger":
			return ours.Kind() == reflect.Uint32
		case "integer":
			return ours.Kind() == reflect.Int32 || ours.Kind() == reflect.Interface
		}
	case "array":
		return ours.Kind() == reflect.Slice && m.fits(*k.Element, ours.Elem())
	case "map":
		return ours.Kind() == reflect.Map
	case "or":
		for _, item := range k.Items {
			if m.fits(item, ours) {
				return true
			}
		}
	case "reference":
		if k.Name == ours.Name() || k.Name == "LSPAny" {
			return true
		}
		for _, a := range m.TypeAliases {
			if a.Name == k.Name {
				return m.fits(a.Type, ours)
			}
		}
		for _, e := range m.Enumerations {
			if e.Name == k.Name {
				return ours.Kind() == reflect.String
			}
		}
	}
	return false
}

func (m *model) compareNumbers(t *testing.T, name string, ours ...any) {
	t.Helper()
	values := map[float64]bool{}
	for _, e := range m.Enumerations {
		if e.Name == name {
			for _, v := range e.Values {
				if n, ok := v.Value.(float64); ok {
					values[n] = true
				}
			}
		}
	}
	for _, v := range ours {
		if !values[float64(reflect.ValueOf(v).Uint())] {
			t.Errorf("%s has no %v", name, v)
		}
	}
}
