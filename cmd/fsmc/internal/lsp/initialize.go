package lsp

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
)

// initialize answers what the server can do, and agrees upon how places are counted.
func initialize(s *server, params *json.RawMessage) (work, error) {
	var p proto.InitializeParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	s.ready = true
	if slices.Contains(p.Capabilities.General.PositionEncodings, proto.UTF8) {
		s.encoding = proto.UTF8
	}
	s.editor = p.Capabilities.Workspace
	if o := p.InitializationOptions; o != nil && o.InlayHints != nil {
		s.hints = *o.InlayHints
	}
	for _, f := range p.WorkspaceFolders {
		s.roots = append(s.roots, pathOf(f.URI))
	}
	if len(p.WorkspaceFolders) == 0 && p.RootURI != nil {
		s.roots = []string{pathOf(*p.RootURI)}
	}
	answer := proto.InitializeResult{
		ServerInfo: &proto.ServerInfo{Name: "fsmc", Version: s.Version},
		Capabilities: proto.ServerCapabilities{
			PositionEncoding:           s.encoding,
			TextDocumentSync:           proto.TextDocumentSyncOptions{OpenClose: true, Change: proto.SyncIncremental},
			HoverProvider:              true,
			DefinitionProvider:         true,
			ReferencesProvider:         true,
			DocumentHighlightProvider:  true,
			DocumentSymbolProvider:     true,
			WorkspaceSymbolProvider:    true,
			CodeActionProvider:         true,
			CodeLensProvider:           &proto.CodeLensOptions{},
			ExecuteCommandProvider:     &proto.ExecuteCommandOptions{Commands: []string{worstCommand}},
			DocumentFormattingProvider: true,
			RenameProvider:             &proto.RenameOptions{PrepareProvider: true},
			FoldingRangeProvider:       true,
			SelectionRangeProvider:     true,
			SemanticTokensProvider:     &proto.SemanticTokensOptions{Legend: legend, Full: true},
			InlayHintProvider:          s.hints,
			CompletionProvider:         &proto.CompletionOptions{TriggerCharacters: []string{".", ">", " ", "("}},
		},
	}
	return func(context.Context) (any, error) { return answer, nil }, nil
}

// ask asks the editor for something, whose answer says nothing.
func (s *server) ask(method string, params any) {
	_, _ = s.conn.DispatchCall(context.Background(), method, params) // an error is that the editor is gone
}

// watch asks an editor that can to tell when files change on disk: those that are imported belong to what is open.
func (s *server) watch() {
	if !s.editor.DidChangeWatchedFiles.DynamicRegistration {
		return
	}
	s.ask("client/registerCapability", proto.RegistrationParams{Registrations: []proto.Registration{{
		ID: "files", Method: "workspace/didChangeWatchedFiles",
		RegisterOptions: proto.DidChangeWatchedFilesRegistrationOptions{Watchers: []proto.FileSystemWatcher{{GlobPattern: "**/*.fsm"}}},
	}}})
}

// refresh asks an editor that can to look at lenses and inlay hints again: what they say is known only now, and
// an editor looks by itself when a text is opened or edited.
func (s *server) refresh() {
	if s.editor.CodeLens.RefreshSupport {
		s.ask("workspace/codeLens/refresh", nil)
	}
	if s.hints && s.editor.InlayHint.RefreshSupport {
		s.ask("workspace/inlayHint/refresh", nil)
	}
}
