package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// runID is the batch. The runs of its shelves and documents have ids that begin with it.
const runID = "batch-1"

// lease is how long a dead worker's attempts stay its own. Services choose longer ones.
const lease = time.Second

// worker is the process that does the work, and is killed.
type worker struct{ dir string }

// run works until the batch has ended.
func (w *worker) run(ctx context.Context) error {
	store, err := sqlite.Open(ctx, database(w.dir))
	if err != nil {
		return err
	}
	defer store.Close()
	engine := runtime.NewEngine(store, runtime.WithLease(lease), runtime.WithConcurrency(16))
	if err := RegisterDocument(engine, reader{dir: w.dir}); err != nil {
		return err
	}
	if err := RegisterBatch(engine); err != nil {
		return err
	}
	_, err = engine.RunUntilDone(ctx, runID)
	return err
}

// reader does the two activities of a document, and writes down each attempt in a file of the
// document before it does anything, as a model would bill it. Standard output gets a line as well,
// by which the program knows when to kill its worker.
type reader struct{ dir string }

var _ DocumentActivities = reader{}

func (r reader) Extract(_ context.Context, attempt *runtime.Attempt, path string) (DocumentExtracted, error) {
	if err := r.bill(path, attempt); err != nil {
		return DocumentExtracted{}, err
	}
	text, err := os.ReadFile(filepath.Join(r.dir, path))
	switch {
	case err != nil:
		return DocumentExtracted{}, err
	case strings.HasPrefix(string(text), busy):
		return DocumentExtracted{}, runtime.Fail(DocumentFailBusy, "the scanner does not answer")
	case strings.HasPrefix(string(text), torn):
		return DocumentExtracted{}, runtime.Fail(DocumentFailUnreadable, "page 1 is torn")
	}
	return DocumentExtracted{Text: string(text)}, nil
}

func (r reader) Name(_ context.Context, attempt *runtime.Attempt, path, text string) (DocumentNamed, error) {
	if err := r.bill(path, attempt); err != nil {
		return DocumentNamed{}, err
	}
	_, label, _ := strings.Cut(text, "about ")
	return DocumentNamed{Label: strings.TrimSpace(label)}, nil
}

func (r reader) bill(path string, attempt *runtime.Attempt) error {
	f, err := os.OpenFile(filepath.Join(r.dir, path)+".bill", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s %d of %s\n", attempt.Activity, attempt.Number, attempt.Key)
	fmt.Println(attempt.Key)
	return errors.Join(err, f.Close())
}

func database(dir string) string { return filepath.Join(dir, "runs.db") }
