// Package demo makes a small git repository with a change worth reviewing.
package demo

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Before is the repository as it was, After as the change leaves it. The
// files end in .txt so that no tool takes them for code of this project.
//
//go:embed before after
var versions embed.FS

// Range is the commits that Make makes, as git diff takes them.
const Range = "HEAD~1..HEAD"

// Make creates a git repository in dir with two commits.
func Make(ctx context.Context, dir string) error {
	if err := git(ctx, dir, "init", "-q", "-b", "main"); err != nil {
		return err
	}
	for _, version := range []string{"before", "after"} {
		if err := lay(dir, version); err != nil {
			return err
		}
		if err := git(ctx, dir, "add", "-A"); err != nil {
			return err
		}
		if err := git(ctx, dir, "-c", "user.name=demo", "-c", "user.email=demo@example.com", "-c", "commit.gpgsign=false",
			"commit", "-q", "-m", version); err != nil {
			return err
		}
	}
	return nil
}

func lay(dir, version string) error {
	return fs.WalkDir(versions, version, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := versions.ReadFile(name)
		if err != nil {
			return err
		}
		target := filepath.Join(dir, strings.TrimSuffix(strings.TrimPrefix(name, version+"/"), ".txt"))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o644)
	})
}

func git(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(string(out)))
	}
	return nil
}
