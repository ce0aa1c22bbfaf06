package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
)

// status is the article's status.json, which its workers share.
type status map[string]string

func readStatus(path string) (status, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s status
	return s, json.Unmarshal(text, &s)
}

func (s status) write(path string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// stalls lets two workers of one pipeline end as the article tells it: at t=0
// both read the status file, at t=1 both write it with themselves completed.
// Whoever sees all completed spawns the next phase; stalls reports whether no
// one does.
func stalls(dir string) (bool, error) {
	path := filepath.Join(dir, "status.json")
	if err := (status{"researcher-a": "running", "researcher-b": "running"}).write(path); err != nil {
		return false, err
	}
	var (
		read, written sync.WaitGroup
		mu            sync.Mutex
		failed        error
		spawned       bool
	)
	read.Add(2)
	for _, role := range []string{"researcher-a", "researcher-b"} {
		written.Go(func() {
			s, err := readStatus(path)
			read.Done()
			read.Wait() // t=0 is over
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				s[role] = "completed"
				err = s.write(path)
			}
			if err != nil {
				failed = err
				return
			}
			spawned = spawned || s["researcher-a"] == "completed" && s["researcher-b"] == "completed"
		})
	}
	written.Wait()
	return !spawned, failed
}
