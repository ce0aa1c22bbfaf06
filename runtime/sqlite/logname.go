//go:build cgo

package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"
)

// A log that is left beside a database by a process that was killed is part of it, and
// SQLite takes in all that it has. Where the file has been replaced since then, by a
// backup for instance, that undoes the backup in silence, or destroys the file: SQLite
// does not know to which file a log belongs.
//
// So the database has a name for its log (log_name), and each log changes it: the first
// transaction of a writer, and the first after a checkpoint that has moved all of the
// log, write a new name, beside the one before. What the file has without the log must be
// the name before the first in the log, or one of the log, where a checkpoint has moved a
// part of it. A backup is given a name of its own. A log without a name tells nothing.

const renameLog = `UPDATE log_name SET before = now, now = lower(hex(randomblob(8)))`

const selectLogName = `
	SELECT now, rootpage FROM log_name JOIN sqlite_schema ON type = 'table' AND name = 'log_name'`

// logName is the name in the database file itself, and the page on which it stands.
type logName struct {
	now  string
	page uint32
}

func readLogName(ctx context.Context, db queryer) (n logName, err error) {
	err = db.QueryRowContext(ctx, selectLogName).Scan(&n.now, &n.page)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return n, err
}

// ownLog refuses a database with a log that is not its own. Others may be writing: what
// seems wrong is looked at again a few times.
func ownLog(ctx context.Context, file string) error {
	for wait := time.Millisecond; ; wait *= 2 {
		fits, err := logFits(ctx, file)
		if fits || err != nil {
			return err
		}
		if wait > 100*time.Millisecond {
			return fmt.Errorf("%w: %q", ErrLog, file+"-wal")
		}
		time.Sleep(wait)
	}
}

// logFits compares the names in the file with those in its log.
func logFits(ctx context.Context, file string) (bool, error) {
	log, err := os.Open(file + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer log.Close()
	header, pageSize := logHeader(log)
	found, err := look(ctx, file, "immutable")
	if err != nil || pageSize == 0 || found.log.page == 0 {
		return true, nil // from before log_name, or not to be read without the log
	}
	for _, whole := range []bool{false, true} { // nearly always the quick look is enough
		first, names := logNames(log, header, pageSize, found.log.page, whole)
		if first == "" || found.log.now == first || slices.Contains(names, found.log.now) {
			return true, nil
		}
	}
	// Who restarts the log meanwhile has moved its names into the file.
	now, _ := logHeader(log)
	return !bytes.Equal(now, header), nil
}

// hasLog reports whether there is a log for a file, be the file there or not.
func hasLog(file string) bool {
	log, err := os.Open(file + "-wal")
	if err != nil {
		return false
	}
	defer log.Close()
	_, pageSize := logHeader(log)
	return pageSize != 0
}

// logHeader reads the header of a log, and its page size; 0 where there is none. See
// sqlite.org/fileformat2.html, "The Write-Ahead Log".
func logHeader(log *os.File) (header []byte, pageSize int64) {
	header = make([]byte, 32)
	if n, err := log.ReadAt(header, 0); n < len(header) || err != nil || binary.BigEndian.Uint32(header)&^1 != 0x377f0682 {
		return header, 0
	}
	return header, int64(binary.BigEndian.Uint32(header[8:]))
}

// logNames reads the names in the pages of a log: the one before its first, and all that
// it brings. With whole it looks only at what SQLite would take in: transactions that
// are complete, by the checksums. A loss of power leaves others.
func logNames(log *os.File, header []byte, pageSize int64, page uint32, whole bool) (first string, names []string) {
	const frameHeader = 24
	frame := make([]byte, frameHeader+pageSize)
	sum := newLogSum(header)
	var pending [][2]string // of the transaction
	for at := int64(len(header)); ; at += frameHeader + pageSize {
		if n, _ := log.ReadAt(frame[:frameHeader], at); n < frameHeader || !bytes.Equal(frame[8:16], header[16:24]) {
			return first, names // the salts of an older log
		}
		if number := binary.BigEndian.Uint32(frame); whole || number == page {
			if n, _ := log.ReadAt(frame, at); n < len(frame) || whole && !sum.fits(frame) {
				return first, names
			}
			if before, now, ok := namesIn(frame[frameHeader:]); ok && number == page {
				pending = append(pending, [2]string{before, now})
			}
		}
		if whole && binary.BigEndian.Uint32(frame[4:]) == 0 {
			continue // not the last page of its transaction
		}
		for _, pair := range pending {
			if first == "" {
				first = pair[0]
			}
			names = append(names, pair[1])
		}
		pending = pending[:0]
	}
}

// logSum is the checksum of a log up to one of its pages.
type logSum struct {
	order  binary.ByteOrder
	s0, s1 uint32
	broken bool // the header does not fit
}

func newLogSum(header []byte) *logSum {
	s := &logSum{order: binary.LittleEndian}
	if header[3]&1 == 1 {
		s.order = binary.BigEndian
	}
	s.add(header[:24])
	s.broken = !s.is(header[24:])
	return s
}

func (s *logSum) add(part []byte) {
	for ; len(part) >= 8; part = part[8:] {
		s.s0 += s.order.Uint32(part) + s.s1
		s.s1 += s.order.Uint32(part[4:]) + s.s0
	}
}

func (s *logSum) is(stored []byte) bool {
	return binary.BigEndian.Uint32(stored) == s.s0 && binary.BigEndian.Uint32(stored[4:]) == s.s1
}

// fits goes on with a page and its header, and reports whether it is as it was written.
func (s *logSum) fits(frame []byte) bool {
	s.add(frame[:8])
	s.add(frame[24:])
	return !s.broken && s.is(frame[16:24])
}

// namesIn reads the one row of log_name from its page, a leaf: the page's header, which
// ends with the place of the row; there its size, its key, the types of its columns (the
// key, and two texts of 16 bytes), and the texts.
func namesIn(page []byte) (before, now string, ok bool) {
	const leaf, text = 13, 13 + 2*16
	head := []byte{4 + 32, 1, 4, 0, text, text}
	if page[0] != leaf || binary.BigEndian.Uint16(page[3:]) != 1 {
		return "", "", false
	}
	at := int(binary.BigEndian.Uint16(page[8:]))
	if at+len(head)+32 > len(page) || !bytes.Equal(page[at:at+len(head)], head) {
		return "", "", false
	}
	row := page[at+len(head):]
	return string(row[:16]), string(row[16:32]), true
}
