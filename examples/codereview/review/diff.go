// Package review finds faults in the added lines of a diff, and writes them
// down as comments, each once. It knows nothing of machines or runs.
package review

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// Diff is what git says has changed in repo over a range such as "main..topic".
func Diff(ctx context.Context, repo, commits string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", "-C", repo, "diff", "--no-color", "--no-ext-diff", "--unified=0", commits, "--")
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return "", fmt.Errorf("git diff %s: %s", commits, strings.TrimSpace(string(exit.Stderr)))
	case err != nil:
		return "", fmt.Errorf("git diff %s: %w", commits, err)
	}
	return string(out), nil
}

// Patches takes a diff apart: what has changed in each file.
func Patches(diff string) []string {
	var patches []string
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "diff --git ") || len(patches) == 0 {
			patches = append(patches, "")
		}
		patches[len(patches)-1] += line
	}
	return patches
}

// Line is one added line.
type Line struct {
	File string
	N    int // in the new version, from 1
	Text string
}

// Added lists the added lines of a unified diff, in order.
func Added(diff string) []Line {
	var (
		lines []Line
		file  string
		next  int
	)
	scan := bufio.NewScanner(strings.NewReader(diff))
	scan.Buffer(nil, 16<<20)
	inHunk := false
	for scan.Scan() {
		text := scan.Text()
		switch {
		case strings.HasPrefix(text, "diff --git "):
			inHunk = false
		case strings.HasPrefix(text, "@@ "):
			inHunk = true
			next = hunkStart(text)
		case !inHunk && strings.HasPrefix(text, "+++ "):
			file = strings.TrimPrefix(strings.TrimPrefix(text, "+++ "), "b/")
		case inHunk && strings.HasPrefix(text, "+"):
			lines = append(lines, Line{File: file, N: next, Text: text[1:]})
			next++
		case inHunk && strings.HasPrefix(text, " "):
			next++
		}
	}
	return lines
}

// hunkStart reads the first new line out of "@@ -1,2 +3,4 @@".
func hunkStart(header string) int {
	for _, field := range strings.Fields(header) {
		if start, ok := strings.CutPrefix(field, "+"); ok {
			start, _, _ = strings.Cut(start, ",")
			n, err := strconv.Atoi(start)
			if err == nil {
				return n
			}
		}
	}
	return 1
}
