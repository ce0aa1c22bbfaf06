package lsp

import (
	"slices"
	"testing"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	_ "github.com/fsmc-dev/fsmc/internal/seldom"
)

// TestAsks: lenses and hints come with the last wave, so the editor is asked to look again then; and it is asked
// to tell of files that change on disk. An editor that does not know of it is asked nothing.
func TestAsks(t *testing.T) {
	able := proto.ClientCapabilities{Workspace: proto.WorkspaceClientCapabilities{
		CodeLens: proto.CodeLensWorkspaceClientCapabilities{RefreshSupport: true}, InlayHint: proto.InlayHintWorkspaceClientCapabilities{RefreshSupport: true},
		DidChangeWatchedFiles: proto.DidChangeWatchedFilesClientCapabilities{DynamicRegistration: true},
	}}
	for _, c := range []struct {
		name string
		can  proto.ClientCapabilities
		want []string
	}{
		{"an editor that can", able, []string{"client/registerCapability", "workspace/codeLens/refresh", "workspace/inlayHint/refresh"}},
		{"an editor that cannot", proto.ClientCapabilities{}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := start(t, Options{})
			root := uriOf(e.dir)
			var answer any
			e.must("initialize", proto.InitializeParams{RootURI: &root, Capabilities: c.can}, &answer)
			e.notify("initialized", struct{}{})
			e.open("a.fsm", "machine M {\n initial A\n assert A leads to T\n state A { after 1h -> T }\n terminal T\n}\n")
			e.settle()
			e.mu.Lock()
			defer e.mu.Unlock()
			if !slices.Equal(e.asked, c.want) {
				t.Errorf("the server asks for %q, want %q", e.asked, c.want)
			}
		})
	}
}
