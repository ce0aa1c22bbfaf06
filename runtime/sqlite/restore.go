//go:build cgo

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Restore puts a copy of the database backup in the place of the one at path, which
// no process may have open, this one included. What was there is kept under another
// name, with its log, beside it; its log is not left for the new one, which it would
// destroy.
//
// The copy is made beside path, and checked as by Backup, before anything is moved.
// It is brought up to date, and no run of it has been touched otherwise. A process
// that ends in the middle leaves what was there, or the new one; beside that the log
// of the old one may be left, with which Open refuses it (ErrLog) until Restore is
// called again.
func Restore(ctx context.Context, backup, path string, check func(context.Context, *Store) error) (r Restored, err error) {
	target, err := filepath.Abs(path)
	if err != nil {
		return r, fmt.Errorf("cannot restore to %q: %w", path, err)
	}
	if linked, err := filepath.EvalSymlinks(target); err == nil {
		target = linked
	}
	dir, err := os.MkdirTemp(filepath.Dir(target), ".fsmc-restore-")
	if err != nil {
		return r, fmt.Errorf("cannot restore to %q: %w", path, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	copied := filepath.Join(dir, "copy.db")
	if err := copyBackup(ctx, backup, copied); err != nil {
		return r, fmt.Errorf("cannot restore from %q: %w", backup, err)
	}
	if err := verify(ctx, copied, check); err != nil {
		return r, fmt.Errorf("the backup %q is not good, and is not put in place: %w", backup, err)
	}
	free, err := hold(target)
	if err != nil {
		return r, fmt.Errorf("cannot restore to %q: %w", path, err)
	}
	defer func() { err = errors.Join(err, free()) }()
	if r, err = replace(copied, target); err != nil {
		err = fmt.Errorf("cannot restore to %q: %w", path, err)
	}
	return r, err
}

// copyBackup copies a database of any format that is known, and brings the copy up to
// date.
func copyBackup(ctx context.Context, backup, copied string) (err error) {
	file, err := filepath.Abs(backup)
	if err != nil {
		return err
	}
	if err := prepareFile(file, false); err != nil {
		return err
	}
	found, err := inspect(ctx, file)
	if err == nil {
		err = found.present()
	}
	if err != nil {
		return translate(err)
	}
	from := Store{hands: newHands()}
	from.openReaders(file, newOptions(nil))
	if err := errors.Join(from.copyTo(ctx, copied), from.Close()); err != nil {
		return translate(err)
	}
	s, err := Open(ctx, copied, Existing())
	if err != nil {
		return err
	}
	return s.Close()
}

// replace gives the copy the name of the target, and what was there another one.
func replace(copied, target string) (r Restored, err error) {
	if r.Bytes, err = syncFile(copied); err != nil {
		return r, err
	}
	if r.Before, err = setAside(target, "before"); err != nil {
		return r, err
	}
	if err := os.Rename(copied, target); err != nil {
		return r, err
	}
	return r, removeBeside(target)
}

// removeBeside takes away what SQLite keeps beside a database: its log or its journal belong to what it has.
func removeBeside(file string) error {
	for _, end := range []string{"-wal", "-journal", "-shm"} {
		if err := os.Remove(file + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return syncFolder(filepath.Dir(file))
}

// setAside gives what is at target a second name, after what is done, and makes that durable; empty
// where there is nothing, and the name of the log where there is only that.
func setAside(target, done string) (aside string, err error) {
	var there []string // by the ends of their names
	for _, end := range []string{"", "-wal", "-journal"} {
		if _, err := os.Lstat(target + end); !errors.Is(err, fs.ErrNotExist) {
			there = append(there, end)
		}
	}
	if len(there) == 0 {
		return "", nil
	}
	stem := target + "." + done + "-" + time.Now().UTC().Format("20060102T150405")
	aside = stem
	for n := 2; ; n++ {
		err = secondName(target+there[0], aside+there[0])
		if !errors.Is(err, fs.ErrExist) {
			break
		}
		aside = fmt.Sprintf("%s-%d", stem, n)
	}
	if err != nil {
		return "", err
	}
	for _, end := range there[1:] {
		if err := secondName(target+end, aside+end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return aside + there[0], syncFolder(filepath.Dir(target))
}

// secondName gives a file another name, beside the one that it has where the file
// system can do that. It overwrites nothing.
func secondName(file, name string) error {
	err := os.Link(file, name)
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, there := os.Lstat(name); there == nil {
		return fs.ErrExist
	}
	return os.Rename(file, name)
}
