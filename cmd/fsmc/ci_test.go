package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const (
	goodMachine  = "machine Good {\n    initial A\n    state A { after 1h -> Done }\n    terminal Done\n}\n"
	badMachine   = "machine Bad {\n    initial A\n    state A {}\n    terminal Done\n}\n"
	idleMachine  = "machine Idle {\n    event Go\n    initial A\n    state A { on Go -> Done }\n    terminal Done\n}\n" // a warning
	untidyFormat = "machine Good { initial A\n state A { after 1h -> Done }\nterminal Done }\n"
)

// readYAML decodes a file of the repository's root, in which every field must
// be known.
func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", name))
	must(t, err)
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// status is the exit status of a command, and all that it printed.
func status(t *testing.T, c *exec.Cmd) (int, string) {
	t.Helper()
	out, err := c.CombinedOutput()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), string(out)
}

type hook struct {
	ID            string `yaml:"id"`
	Name          string `yaml:"name"`
	Description   string `yaml:"description"`
	Entry         string `yaml:"entry"`
	Language      string `yaml:"language"`
	Files         string `yaml:"files"`
	RequireSerial bool   `yaml:"require_serial"`
}

// TestPreCommitHooks runs the entry of each hook as pre-commit does: with the
// names of the files behind it. A hook fails by its status, or by changing a
// file.
func TestPreCommitHooks(t *testing.T) {
	var hooks []hook
	readYAML(t, ".pre-commit-hooks.yaml", &hooks)
	faults := map[string]string{"fsmc-check": badMachine, "fsmc-fmt": untidyFormat}
	if len(hooks) != len(faults) {
		t.Errorf("there are %d hooks, want %d", len(hooks), len(faults))
	}
	if code, out := status(t, exec.Command("../../.ci/hook", "version")); code != 0 || !strings.Contains(out, "built without cgo") {
		t.Errorf("the binary of the hooks: status %d: %s", code, out)
	}
	// What takes longest to compile is not in it, and what it leaves out it says like any unknown word.
	if code, out := status(t, exec.Command("../../.ci/hook", "serve")); code != 2 || !strings.Contains(out, `"serve"`) {
		t.Errorf("serve in the binary of the hooks: status %d: %s", code, out)
	}
	list := exec.Command("go", "list", "-tags", "hook", "-deps", ".")
	list.Env = append(os.Environ(), "CGO_ENABLED=0")
	deps, err := list.Output()
	must(t, err)
	for _, heavy := range []string{"net/http", "crypto/tls", "github.com/jackc/pgx/v5", "github.com/modelcontextprotocol/go-sdk/mcp"} {
		if slices.Contains(strings.Fields(string(deps)), heavy) {
			t.Errorf("the binary of the hooks has %s", heavy)
		}
	}
	for _, h := range hooks {
		t.Run(h.ID, func(t *testing.T) {
			if h.Language != "script" || h.Name == "" || h.Description == "" {
				t.Errorf("%+v", h)
			}
			if files := regexp.MustCompile(h.Files); !files.MatchString("a/b.fsm") || files.MatchString("b.fsm.go") {
				t.Errorf("files is %q", h.Files)
			}
			passes := func(text string) bool {
				file := filepath.Join(t.TempDir(), "machine.fsm")
				must(t, os.WriteFile(file, []byte(text), 0o644))
				entry := strings.Fields(h.Entry)
				code, out := status(t, exec.Command(filepath.Join("../..", entry[0]), append(entry[1:], file)...))
				if code > 1 {
					t.Errorf("status %d: %s", code, out)
				}
				after, err := os.ReadFile(file)
				must(t, err)
				return code == 0 && string(after) == text
			}
			if !passes(goodMachine) {
				t.Error("a machine without a fault fails")
			}
			if passes(faults[h.ID]) {
				t.Errorf("this passes:\n%s", faults[h.ID])
			}
		})
	}
}

type action struct {
	Name        string            `yaml:"name"`
	Description string            `yaml:"description"`
	Branding    map[string]string `yaml:"branding"`
	Inputs      map[string]struct {
		Description string `yaml:"description"`
		Default     string `yaml:"default"`
	} `yaml:"inputs"`
	Runs struct {
		Using string       `yaml:"using"`
		Steps []actionStep `yaml:"steps"`
	} `yaml:"runs"`
}

type actionStep struct {
	Uses  string            `yaml:"uses"`
	With  map[string]string `yaml:"with"`
	Name  string            `yaml:"name"`
	Shell string            `yaml:"shell"`
	Env   map[string]string `yaml:"env"`
	Run   string            `yaml:"run"`
}

var expression = regexp.MustCompile(`\$\{\{ *(\S+) *\}\}`)

// runAction runs the commands of the action in dir as GitHub's runner does, and
// gives the status of the first that fails.
func runAction(t *testing.T, a action, dir, temp string, inputs map[string]string) (int, string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	must(t, err)
	values := map[string]string{"github.action_path": root}
	for name, in := range a.Inputs {
		values["inputs."+name] = in.Default
	}
	for name, value := range inputs {
		values["inputs."+name] = value
	}
	var all string
	for _, step := range a.Runs.Steps {
		if step.Run == "" {
			continue
		}
		if step.Shell != "bash" || expression.MatchString(step.Run) {
			t.Errorf("%s: it is no bash, or text of an input would be run", step.Name)
		}
		c := exec.Command("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.Run)
		c.Dir = dir
		c.Env = append(os.Environ(), "RUNNER_TEMP="+temp)
		for name, value := range step.Env {
			c.Env = append(c.Env, name+"="+expression.ReplaceAllStringFunc(value, func(e string) string {
				known, ok := values[expression.FindStringSubmatch(e)[1]]
				if !ok {
					t.Errorf("%s: %s is not known", step.Name, e)
				}
				return known
			}))
		}
		code, out := status(t, c)
		all += out
		if code != 0 {
			return code, all
		}
	}
	return 0, all
}

// TestAction runs the commands of action.yml on good and bad machines.
func TestAction(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds fsmc")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	var a action
	readYAML(t, "action.yml", &a)
	if a.Runs.Using != "composite" {
		t.Fatalf("it runs by %q", a.Runs.Using)
	}
	temp, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"good/good.fsm": goodMachine, "bad/bad machine.fsm": badMachine, "idle/idle.fsm": idleMachine,
	} {
		file := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte(text), 0o644))
	}
	commitAll(t, dir)
	changed := strings.Replace(goodMachine, "Done", "Ended", 2)
	must(t, os.WriteFile(filepath.Join(dir, "good/good.fsm"), []byte(changed), 0o644))
	for _, c := range []struct {
		name   string
		inputs map[string]string
		code   int
		out    string
	}{
		{"against what is the same", map[string]string{"paths": "idle", "against": "git:HEAD"}, 0, "::warning file=idle/idle.fsm,"},
		{"against what had another end", map[string]string{"paths": "good", "against": "git:HEAD"}, 1, "title=outcome-changed::"},
		{"against itself", map[string]string{"paths": "good", "against": "good"}, 0, ""},
		{"against nothing there is", map[string]string{"paths": "good", "against": "git:gone"}, 2, "git knows no"},
		{"good", map[string]string{"paths": "good"}, 0, ""},
		{"all", nil, 1, "::error file=bad/bad machine.fsm,line=3,"},
		{"warning", map[string]string{"paths": "good\nidle\n"}, 0, "::warning file=idle/idle.fsm,"},
		{"strict", map[string]string{"paths": "idle", "strict": "true"}, 1, "::warning file=idle/idle.fsm,"},
		{"gone", map[string]string{"paths": "gone"}, 2, "gone"},
		{"gone with sarif", map[string]string{"paths": "gone", "sarif": "none.sarif"}, 2, "gone"},
		{"no command", map[string]string{"paths": "$(touch made)"}, 2, "$(touch made)"},
		{"sarif", map[string]string{"paths": "bad/bad machine.fsm", "sarif": "out.sarif"}, 1, "::error "},
	} {
		code, out := runAction(t, a, dir, temp, c.inputs)
		if code != c.code || !strings.Contains(out, c.out) {
			t.Errorf("%s: status %d, want %d, with %q:\n%s", c.name, code, c.code, c.out, out)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
		t.Error("an input was run")
	}
	text, err := os.ReadFile(filepath.Join(dir, "out.sarif"))
	must(t, err)
	var log sarifLog
	if err := json.Unmarshal(text, &log); err != nil || len(log.Runs) != 1 || len(log.Runs[0].Results) == 0 {
		t.Errorf("%v: %s", err, text)
	}
}

// commitAll makes a repository of dir with all that is in it.
func commitAll(t *testing.T, dir string) {
	t.Helper()
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "before"},
	} {
		c := exec.Command("git", args...)
		c.Dir = dir
		if code, out := status(t, c); code != 0 {
			t.Fatal(out)
		}
	}
}

// TestCIDocument: the blocks of docs/ci.md are YAML and name what there is.
func TestCIDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/ci.md")
	must(t, err)
	var a action
	readYAML(t, "action.yml", &a)
	var hooks []hook
	readYAML(t, ".pre-commit-hooks.yaml", &hooks)
	ids := map[string]bool{}
	for _, h := range hooks {
		ids[h.ID] = true
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) != 4 {
		t.Fatalf("there are %d blocks", len(blocks))
	}
	used, hooked := 0, 0
	for _, b := range blocks {
		var rows []struct {
			Uses  string
			With  map[string]string
			Hooks []struct{ ID string }
		}
		if err := yaml.Unmarshal(b[1], &rows); err != nil {
			t.Errorf("%v in\n%s", err, b[1])
		}
		for _, r := range rows {
			for _, h := range r.Hooks {
				hooked++
				if !ids[h.ID] {
					t.Errorf("there is no hook %q", h.ID)
				}
			}
			if !strings.HasPrefix(r.Uses, "fsmc-dev/fsmc@") {
				continue
			}
			used++
			for name := range r.With {
				if _, ok := a.Inputs[name]; !ok {
					t.Errorf("the action has no input %q", name)
				}
			}
		}
	}
	if used != 3 || hooked != 2 {
		t.Errorf("%d uses of the action and %d of hooks: the test sees too little", used, hooked)
	}
}

// TestFormula: the formula for Homebrew has the checksums of the four archives that it
// downloads, and there is none if one of them is missing.
func TestFormula(t *testing.T) {
	var sums strings.Builder
	systems := []string{"darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64"}
	for i, system := range systems {
		fmt.Fprintf(&sums, "%064d  fsmc_v0.1.0_%s.tar.gz\n", i, system)
	}
	file := filepath.Join(t.TempDir(), "checksums.txt")
	must(t, os.WriteFile(file, []byte(sums.String()), 0o644))
	code, text := status(t, exec.Command("../../.ci/formula", "v0.1.0", file))
	if code != 0 || strings.Contains(text, "@") || !strings.Contains(text, "releases/download/v0.1.0/fsmc_v0.1.0\"") {
		t.Errorf("status %d: %s", code, text)
	}
	for i, system := range systems {
		if !regexp.MustCompile(fmt.Sprintf(`_%s\.tar\.gz"\n\s*sha256 "%064d"`, system, i)).MatchString(text) {
			t.Errorf("%s has not its checksum: %s", system, text)
		}
	}
	if code, text := status(t, exec.Command("../../.ci/formula", "v0.2.0", file)); code == 0 {
		t.Errorf("a formula for archives that are not there: %s", text)
	}
}
