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
