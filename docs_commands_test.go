package fsmc_test

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var (
	shownCommand = regexp.MustCompile(`^fsmc ([a-z]+)( .*)?$`)
	shownFlag    = regexp.MustCompile(`(?:^| )--([a-z][a-z-]*)`)
)

// TestCommandsInDocs: each command line that a page shows in a shell block is of
// a command that there is, with flags that it has.
func TestCommandsInDocs(t *testing.T) {
	binary := buildFsmc(t)
	help := map[string]string{}
	shown := 0
	for _, page := range pages(t) {
		for _, b := range blocksOf(t, page) {
			if b.info != "sh" {
				continue
			}
			for line := range strings.Lines(b.text) {
				command := shownCommand.FindStringSubmatch(strings.TrimSpace(line))
				if command == nil {
					continue
				}
				shown++
				name, words := command[1], []string{command[1], "--help"}
				if next := strings.Fields(command[2]); name == "db" && len(next) > 0 {
					name, words = name+" "+next[0], []string{name, next[0], "--help"}
				}
				if help[name] == "" {
					out, err := exec.Command(binary, words...).CombinedOutput()
					if err != nil || !strings.Contains(string(out), "  fsmc "+name) { // its usage, not that of fsmc
						t.Errorf("%s: there is no command fsmc %s: %v", b.place, name, err)
					}
					help[name] = string(out)
				}
				for _, flag := range shownFlag.FindAllStringSubmatch(command[2], -1) {
					if !strings.Contains(help[name], "--"+flag[1]+" ") && !strings.Contains(help[name], "--"+flag[1]+"\n") {
						t.Errorf("%s: fsmc %s has no flag --%s", b.place, name, flag[1])
					}
				}
			}
		}
	}
	if shown < 20 {
		t.Errorf("%d command lines: the test sees nothing", shown)
	}
}
