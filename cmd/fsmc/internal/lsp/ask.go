package lsp

import (
	"context"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
)

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
