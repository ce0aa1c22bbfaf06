package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

func database(dir string) string        { return filepath.Join(dir, "runs.db") }
func workFolder(dir, run string) string { return filepath.Join(dir, "work", run) }

// Logs that outlive the processes which write them: what a worker has done, the
// points at which an orchestrator was killed, and what the user was told.
func callsFile(dir string) string  { return filepath.Join(dir, "calls.log") }
func deathsFile(dir string) string { return filepath.Join(dir, "deaths.log") }
func userFile(dir string) string   { return filepath.Join(dir, "user.log") }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// writeOnce writes a file that is there whole or not at all, and never takes
// the place of another: where there is one already, that is an os.ErrExist.
func writeOnce(path, text string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	draft, err := os.CreateTemp(filepath.Dir(path), ".draft-")
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	_, err = draft.WriteString(text)
	if err := errors.Join(err, draft.Close()); err != nil {
		return err
	}
	return os.Link(draft.Name(), path)
}

// appendLine adds a line in one write: several processes may do so.
func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}

// readLines gives the lines of a file, none where there is no such file.
func readLines(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(text) == 0 {
		return nil, nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), err
}
