package lsp

import (
	"context"
	"encoding/json"
)

// features are the requests that the server answers, by method. An error is that their parameters are wrong.
var features = map[string]func(*server, *json.RawMessage) (work, error){
	"textDocument/formatting":          about(formatting),
	"textDocument/hover":               about(hover),
	"textDocument/definition":          about(definition),
	"textDocument/references":          about(references),
	"textDocument/documentHighlight":   about(highlight),
	"textDocument/prepareRename":       about(prepareRename),
	"textDocument/rename":              about(rename),
	"textDocument/completion":          about(completion),
	"textDocument/codeAction":          about(codeActions),
	"textDocument/codeLens":            about(lenses),
	"textDocument/foldingRange":        about(folding),
	"textDocument/selectionRange":      about(selection),
	"textDocument/documentSymbol":      about(symbols),
	"textDocument/semanticTokens/full": about(semanticTokens),
	"textDocument/inlayHint":           about(inlayHints),
	"workspace/executeCommand":         execute,
	"workspace/symbol":                 workspaceSymbols,
	"fsm/diagram":                      about(diagram),
}

// about is a request about an open text. It sees the text as it is when the request comes.
func about[P interface{ Document() string }](f func(context.Context, *view, P) (any, error)) func(*server, *json.RawMessage) (work, error) {
	return func(s *server, params *json.RawMessage) (work, error) {
		var p P
		if err := decode(params, &p); err != nil {
			return nil, err
		}
		v, err := s.view(p.Document())
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (any, error) { return f(ctx, v, p) }, nil
	}
}
