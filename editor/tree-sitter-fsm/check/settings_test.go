package check

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// settings reads a TOML file into what its editor knows of it: a key that stands in no field is an
// error, since editors pass over it in silence.
func settings(t *testing.T, path string, into any) {
	t.Helper()
	known, err := toml.DecodeFile(path, into)
	must(t, err)
	if unknown := known.Undecoded(); len(unknown) > 0 {
		t.Errorf("%s has the keys %v, which the editor does not know", path, unknown)
	}
}

// startable fails unless fsmc has the command that an editor starts it with.
func startable(t *testing.T, args ...string) {
	t.Helper()
	help := exec.CommandContext(t.Context(), "go", append([]string{"run", "./cmd/fsmc"}, append(args, "--help")...)...)
	help.Dir, help.Env = "../../..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := help.CombinedOutput(); err != nil || !strings.Contains(string(out), "fsmc "+strings.Join(args, " ")) {
		t.Errorf("fsmc %v: %v\n%s", args, err, out)
	}
}

// usable fails unless an editor would start with a file of machines what stands in its settings.
func usable(t *testing.T, editor string, suffixes []string, comment string) {
	t.Helper()
	if !slices.Contains(suffixes, "fsm") || strings.TrimSpace(comment) != "//" {
		t.Errorf("%s takes files that end in %q, with comments that begin with %q", editor, suffixes, comment)
	}
}

// TestHelix: the settings of Helix have no key that its manual does not have, the names in them
// fit each other, and fsmc has the command.
func TestHelix(t *testing.T) {
	var s struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `toml:"language-server"`
		Languages []struct {
			Name, Scope string
			FileTypes   []string `toml:"file-types"`
			Comment     string   `toml:"comment-token"`
			Indent      struct {
				Width int `toml:"tab-width"`
				Unit  string
			}
			Format  bool     `toml:"auto-format"`
			Servers []string `toml:"language-servers"`
		} `toml:"language"`
	}
	settings(t, "../../helix/languages.toml", &s)
	if len(s.Languages) != 1 {
		t.Fatalf("there are %d languages", len(s.Languages))
	}
	l := s.Languages[0]
	usable(t, "Helix", l.FileTypes, l.Comment)
	if l.Name != "fsm" || l.Scope != "source.fsm" || len(l.Indent.Unit) != l.Indent.Width {
		t.Errorf("the language is %+v", l)
	}
	if len(l.Servers) != 1 || s.Servers[l.Servers[0]].Command != "fsmc" {
		t.Fatalf("of the servers %v the language has %v", s.Servers, l.Servers)
	}
	startable(t, s.Servers[l.Servers[0]].Args...)
}

// TestZed: what the extension says of itself and of the language has no key that Zed does not know,
// and fits together; the program in it starts a command that fsmc has. It is not compiled here.
func TestZed(t *testing.T) {
	var extension struct {
		ID, Name, Version, Description, Repository string
		Schema                                     int `toml:"schema_version"`
		Authors                                    []string
		Servers                                    map[string]struct {
			Name      string
			Languages []string
		} `toml:"language_servers"`
	}
	settings(t, "../../zed/extension.toml", &extension)
	paths, err := filepath.Glob("../../zed/languages/*/config.toml")
	if err != nil || len(paths) != 1 {
		t.Fatalf("the languages are in %v: %v", paths, err)
	}
	var config struct {
		Name     string
		Suffixes []string `toml:"path_suffixes"`
		Comments []string `toml:"line_comments"`
		Tab      int      `toml:"tab_size"`
		Hard     bool     `toml:"hard_tabs"`
		Brackets []struct {
			Start, End     string
			Close, Newline bool
		}
	}
	settings(t, paths[0], &config)
	usable(t, "Zed", config.Suffixes, strings.Join(config.Comments, " "))
	if extension.Schema != 1 || !slices.Equal(extension.Servers["fsmc"].Languages, []string{config.Name}) || len(config.Brackets) != 4 {
		t.Errorf("the extension is %+v, and the language %+v", extension, config)
	}
	var crate struct {
		Package struct{ Name, Version, Edition string }
		Lib     struct {
			Type []string `toml:"crate-type"`
		}
		Dependencies map[string]string
	}
	if _, err := toml.DecodeFile("../../zed/Cargo.toml", &crate); err != nil {
		t.Fatal(err)
	}
	if crate.Package.Version != extension.Version || !slices.Equal(crate.Lib.Type, []string{"cdylib"}) || crate.Dependencies["zed_extension_api"] == "" {
		t.Errorf("the crate is %+v", crate)
	}
	program, err := os.ReadFile("../../zed/src/lib.rs")
	must(t, err)
	if !strings.Contains(string(program), `which("fsmc")`) || !strings.Contains(string(program), `args: vec!["lsp".to_string()]`) {
		t.Error("the program does not start fsmc lsp")
	}
	startable(t, "lsp")
}
