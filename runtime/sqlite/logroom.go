//go:build cgo

package sqlite

import "os"

// A log whose file grows is slow: each sync then writes metadata of the file system too,
// and takes twice as long. So there are zeros ahead of it, until its file is as long as it
// gets before it restarts. To SQLite zeros are no frames: it finds the end of a log by what
// the frames say, and not by the size of the file.
//
// They are written when a transaction has begun, in which nobody else writes to the log, and
// before it writes anything itself.
type logRoom struct {
	log *os.File // nil when there is enough, or no more can be had
	end int64    // of the file, when this last made room
}

const (
	leastRoom  = 64 << 10
	mostRoom   = 256 << 10 // the sync that follows writes it, and everyone waits for that
	enoughRoom = (longLog + fewPages/2) * (pageSize + 24)
)

var zeros [mostRoom]byte

// openLogRoom opens the log that the writer stands on. Without syncs there is nothing to
// gain, and another file layer may not have it where it says.
func openLogRoom(name string, o options) (*logRoom, error) {
	if o.synchronous != "FULL" || o.layer != "" {
		return new(logRoom), nil
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0) // nil where it fails
	return &logRoom{log: f}, err
}

// extend makes room where SQLite has made the file longer than this has. Where there is none
// on the disk the log takes what it finds.
func (r *logRoom) extend(size int64) {
	if r.log == nil || size <= r.end {
		return
	}
	if size < enoughRoom {
		room := min(max(size, leastRoom), mostRoom)
		if _, err := r.log.WriteAt(zeros[:room], size); err == nil {
			r.end = size + room
			return
		}
	}
	_ = r.close()
}

func (r *logRoom) close() error {
	if r.log == nil {
		return nil
	}
	err := r.log.Close()
	r.log = nil
	return err
}
