package proto

// InitializeParams begin a conversation.
type InitializeParams struct {
	RootURI               *string            `json:"rootUri"`
	Capabilities          ClientCapabilities `json:"capabilities"`
	WorkspaceFolders      []WorkspaceFolder  `json:"workspaceFolders,omitempty"`
	InitializationOptions *Settings          `json:"initializationOptions,omitempty"`
}

// Settings are those of fsmc.
type Settings struct {
	InlayHints *bool `json:"inlayHints,omitempty"` // true where it is not there
}

// WorkspaceFolder is a folder that the editor has open.
type WorkspaceFolder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// ClientCapabilities is what the client can do, as far as the server asks.
type ClientCapabilities struct {
	General   GeneralClientCapabilities   `json:"general,omitzero"`
	Workspace WorkspaceClientCapabilities `json:"workspace,omitzero"`
}

// WorkspaceClientCapabilities is what the client can do beside its texts.
type WorkspaceClientCapabilities struct {
	CodeLens              CodeLensWorkspaceClientCapabilities     `json:"codeLens,omitzero"`
	InlayHint             InlayHintWorkspaceClientCapabilities    `json:"inlayHint,omitzero"`
	DidChangeWatchedFiles DidChangeWatchedFilesClientCapabilities `json:"didChangeWatchedFiles,omitzero"`
}

// CodeLensWorkspaceClientCapabilities says whether the client can be asked to look at its lenses again.
type CodeLensWorkspaceClientCapabilities struct {
	RefreshSupport bool `json:"refreshSupport,omitempty"`
}

// InlayHintWorkspaceClientCapabilities says the same of inlay hints.
type InlayHintWorkspaceClientCapabilities struct {
	RefreshSupport bool `json:"refreshSupport,omitempty"`
}

// DidChangeWatchedFilesClientCapabilities says whether the client can be asked to watch files.
type DidChangeWatchedFilesClientCapabilities struct {
	DynamicRegistration bool `json:"dynamicRegistration,omitempty"`
}

// RegistrationParams are what the server asks for later on.
type RegistrationParams struct {
	Registrations []Registration `json:"registrations"`
}

// Registration is one of them.
type Registration struct {
	ID              string `json:"id"`
	Method          string `json:"method"`
	RegisterOptions any    `json:"registerOptions,omitempty"`
}

// DidChangeWatchedFilesRegistrationOptions says which files the client is to watch.
type DidChangeWatchedFilesRegistrationOptions struct {
	Watchers []FileSystemWatcher `json:"watchers"`
}

// FileSystemWatcher is a pattern of their paths.
type FileSystemWatcher struct {
	GlobPattern string `json:"globPattern"`
}

// GeneralClientCapabilities is what the client can do whatever the feature.
type GeneralClientCapabilities struct {
	PositionEncodings []PositionEncodingKind `json:"positionEncodings,omitempty"`
}

// PositionEncodingKind says in which units characters are counted.
type PositionEncodingKind string

const (
	UTF8  PositionEncodingKind = "utf-8"
	UTF16 PositionEncodingKind = "utf-16"
)

// InitializeResult says what the server can do.
type InitializeResult struct {
	Capabilities ServerCapabilities `json:"capabilities"`
	ServerInfo   *ServerInfo        `json:"serverInfo,omitempty"`
}

// ServerInfo names the server.
type ServerInfo struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// ServerCapabilities is what the server can do.
type ServerCapabilities struct {
	PositionEncoding           PositionEncodingKind    `json:"positionEncoding,omitempty"`
	TextDocumentSync           TextDocumentSyncOptions `json:"textDocumentSync,omitempty"`
	HoverProvider              bool                    `json:"hoverProvider,omitempty"`
	DefinitionProvider         bool                    `json:"definitionProvider,omitempty"`
	ReferencesProvider         bool                    `json:"referencesProvider,omitempty"`
	DocumentHighlightProvider  bool                    `json:"documentHighlightProvider,omitempty"`
	DocumentSymbolProvider     bool                    `json:"documentSymbolProvider,omitempty"`
	WorkspaceSymbolProvider    bool                    `json:"workspaceSymbolProvider,omitempty"`
	CodeActionProvider         bool                    `json:"codeActionProvider,omitempty"`
	CodeLensProvider           *CodeLensOptions        `json:"codeLensProvider,omitempty"`
	ExecuteCommandProvider     *ExecuteCommandOptions  `json:"executeCommandProvider,omitempty"`
	DocumentFormattingProvider bool                    `json:"documentFormattingProvider,omitempty"`
	RenameProvider             *RenameOptions          `json:"renameProvider,omitempty"`
	FoldingRangeProvider       bool                    `json:"foldingRangeProvider,omitempty"`
	SelectionRangeProvider     bool                    `json:"selectionRangeProvider,omitempty"`
	SemanticTokensProvider     *SemanticTokensOptions  `json:"semanticTokensProvider,omitempty"`
	InlayHintProvider          bool                    `json:"inlayHintProvider,omitempty"`
	CompletionProvider         *CompletionOptions      `json:"completionProvider,omitempty"`
}

// TextDocumentSyncOptions says how texts are sent.
type TextDocumentSyncOptions struct {
	OpenClose bool                 `json:"openClose,omitempty"`
	Change    TextDocumentSyncKind `json:"change,omitempty"`
}

// TextDocumentSyncKind says how changes are sent.
type TextDocumentSyncKind uint32

// SyncIncremental sends what is changed.
const SyncIncremental TextDocumentSyncKind = 2

// CodeLensOptions has nothing that fsmc uses.
type CodeLensOptions struct{}

// RenameOptions says that a rename can be asked about before.
type RenameOptions struct {
	PrepareProvider bool `json:"prepareProvider,omitempty"`
}

// CompletionOptions says which characters ask for a completion.
type CompletionOptions struct {
	TriggerCharacters []string `json:"triggerCharacters,omitempty"`
}

// SemanticTokensOptions says which tokens there are.
type SemanticTokensOptions struct {
	Legend SemanticTokensLegend `json:"legend"`
	Full   bool                 `json:"full,omitempty"`
}

// SemanticTokensLegend names the kinds of tokens, by number.
type SemanticTokensLegend struct {
	TokenTypes     []string `json:"tokenTypes"`
	TokenModifiers []string `json:"tokenModifiers"`
}
