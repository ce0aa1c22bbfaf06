package proto

import (
	"encoding/json"
	"slices"
	"strings"
)

// DocumentParams are those of requests about a whole text.
type DocumentParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
}

// Document is the text that a request is about.
func (p DocumentParams) Document() string { return p.TextDocument.URI }

// Hover is what is said of a place, in Markdown.
type Hover struct {
	Contents MarkupContent `json:"contents"`
	Range    *Range        `json:"range,omitempty"`
}

// MarkupContent is a text with its kind.
type MarkupContent struct {
	Kind  string `json:"kind"` // "markdown" or "plaintext"
	Value string `json:"value"`
}

// ReferenceParams ask for all places of a name.
type ReferenceParams struct {
	TextDocumentPositionParams
	Context ReferenceContext `json:"context"`
}

// ReferenceContext says whether the declaration is one of them.
type ReferenceContext struct {
	IncludeDeclaration bool `json:"includeDeclaration"`
}

// DocumentHighlight is a place of the name at the cursor.
type DocumentHighlight struct {
	Range Range                 `json:"range"`
	Kind  DocumentHighlightKind `json:"kind,omitempty"`
}

// DocumentHighlightKind says what happens to a name there.
type DocumentHighlightKind uint32

const (
	HighlightRead  DocumentHighlightKind = 2
	HighlightWrite DocumentHighlightKind = 3
)

// RenameParams ask for a rename.
type RenameParams struct {
	TextDocumentPositionParams
	NewName string `json:"newName"`
}

// CompletionItem is one that may stand at the cursor.
type CompletionItem struct {
	Label            string             `json:"label"`
	Kind             CompletionItemKind `json:"kind,omitempty"`
	Detail           string             `json:"detail,omitempty"`
	Documentation    string             `json:"documentation,omitempty"`
	InsertText       string             `json:"insertText,omitempty"`
	InsertTextFormat InsertTextFormat   `json:"insertTextFormat,omitempty"`
}

// CompletionItemKind says what an item stands for.
type CompletionItemKind uint32

const (
	CompletionFunction   CompletionItemKind = 3
	CompletionField      CompletionItemKind = 5
	CompletionVariable   CompletionItemKind = 6
	CompletionClass      CompletionItemKind = 7
	CompletionModule     CompletionItemKind = 9
	CompletionEnum       CompletionItemKind = 13
	CompletionKeyword    CompletionItemKind = 14
	CompletionSnippet    CompletionItemKind = 15
	CompletionEnumMember CompletionItemKind = 20
	CompletionConstant   CompletionItemKind = 21
	CompletionStruct     CompletionItemKind = 22
	CompletionEvent      CompletionItemKind = 23
)

// InsertTextFormat says what InsertText is.
type InsertTextFormat uint32

// InsertSnippet is a text with places to fill in.
const InsertSnippet InsertTextFormat = 2

// CodeActionParams ask what can be done about a stretch of text.
type CodeActionParams struct {
	DocumentParams
	Range   Range             `json:"range"`
	Context CodeActionContext `json:"context"`
}

// CodeActionContext is what the editor shows there.
type CodeActionContext struct {
	Diagnostics []Diagnostic `json:"diagnostics"`
	Only        []string     `json:"only,omitempty"` // kinds that are wanted, with those below them; none for all
}

// Wants reports whether actions of a kind are asked for.
func (c CodeActionContext) Wants(kind string) bool {
	return len(c.Only) == 0 || slices.ContainsFunc(c.Only, func(only string) bool {
		return kind == only || strings.HasPrefix(kind, only+".")
	})
}

// CodeAction is something that can be done.
type CodeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind,omitempty"`
	Diagnostics []Diagnostic   `json:"diagnostics,omitempty"`
	Edit        *WorkspaceEdit `json:"edit,omitempty"`
}

// Kinds of actions: one that fixes a finding, and one that fixes all of a text that need
// no person.
const (
	QuickFix     = "quickfix"
	SourceFixAll = "source.fixAll.fsmc"
)

// FoldingRange is a stretch of lines that can be folded.
type FoldingRange struct {
	StartLine uint32 `json:"startLine"`
	EndLine   uint32 `json:"endLine"`
	Kind      string `json:"kind,omitempty"`
}

// SelectionRangeParams ask what stands around places.
type SelectionRangeParams struct {
	DocumentParams
	Positions []Position `json:"positions"`
}

// SelectionRange is a stretch, with what stands around it.
type SelectionRange struct {
	Range  Range           `json:"range"`
	Parent *SelectionRange `json:"parent,omitempty"`
}

// DocumentSymbol is what a text declares.
type DocumentSymbol struct {
	Name           string           `json:"name"`
	Detail         string           `json:"detail,omitempty"`
	Kind           SymbolKind       `json:"kind"`
	Range          Range            `json:"range"`
	SelectionRange Range            `json:"selectionRange"`
	Children       []DocumentSymbol `json:"children,omitempty"`
}

// SymbolKind says what a symbol stands for.
type SymbolKind uint32

const (
	SymbolModule   SymbolKind = 2
	SymbolClass    SymbolKind = 5
	SymbolMethod   SymbolKind = 6
	SymbolField    SymbolKind = 8
	SymbolEnum     SymbolKind = 10
	SymbolFunction SymbolKind = 12
	SymbolConstant SymbolKind = 14
	SymbolBoolean  SymbolKind = 17
	SymbolStruct   SymbolKind = 23
	SymbolEvent    SymbolKind = 24
)

// WorkspaceSymbolParams ask for symbols of all texts.
type WorkspaceSymbolParams struct {
	Query string `json:"query"`
}

// SymbolInformation is a symbol of some text.
type SymbolInformation struct {
	Name          string     `json:"name"`
	Kind          SymbolKind `json:"kind"`
	ContainerName string     `json:"containerName,omitempty"`
	Location      Location   `json:"location"`
}

// SemanticTokens are tokens, five numbers each.
type SemanticTokens struct {
	Data []uint32 `json:"data"`
}

// InlayHintParams ask for the hints of a stretch.
type InlayHintParams struct {
	DocumentParams
	Range Range `json:"range"`
}

// InlayHint is shown in the text, and is no part of it.
type InlayHint struct {
	Position    Position `json:"position"`
	Label       string   `json:"label"`
	Tooltip     string   `json:"tooltip,omitempty"`
	PaddingLeft bool     `json:"paddingLeft,omitempty"`
}

// CodeLens is a line above the text.
type CodeLens struct {
	Range   Range    `json:"range"`
	Command *Command `json:"command,omitempty"`
}

// Command is one that the editor performs.
type Command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

// ExecuteCommandOptions are the commands that the server performs.
type ExecuteCommandOptions struct {
	Commands []string `json:"commands"`
}

// ExecuteCommandParams is a command that the server is to perform.
type ExecuteCommandParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments,omitempty"`
}

// CancelParams name a request that is given up.
type CancelParams struct {
	ID any `json:"id"`
}

// DiagramParams ask for the picture of a machine: of Machine, or of the one at Position, or
// of the first one. It is no part of the protocol.
type DiagramParams struct {
	DocumentParams
	Position *Position `json:"position,omitempty"`
	Machine  string    `json:"machine,omitempty"`
	Theme    string    `json:"theme,omitempty"` // light, dark or auto
}

// Diagram is the picture of a machine, and where its states stand in the text.
type Diagram struct {
	Machine string         `json:"machine"`
	SVG     string         `json:"svg"`
	States  []DiagramState `json:"states"`
}

// DiagramState is a state of a Diagram. ID is that of its group in the picture.
type DiagramState struct {
	ID    string `json:"id"`
	Range Range  `json:"range"`
	Name  Range  `json:"name"`
}
