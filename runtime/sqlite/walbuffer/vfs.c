// A file layer (VFS) of SQLite that gathers what is written to the write-ahead
// log and writes it when the log is synced, with room for more behind it. All
// other files, and all other calls, go to the layer below. See
// sqlite.org/vfs.html and sqlite.org/c3ref/io_methods.html.
//
// Why this is safe at synchronous=FULL and with cache_spill off: a COMMIT appends
// the pages of its transaction to the log, syncs it, and only then changes the
// index of the log, from which others learn how far it may be read
// (sqlite.org/walformat.html, "Writer Lock"). Before the sync no one else looks at
// these pages, and after a crash they count for nothing unless the last of them
// is there. An error of a write comes out of the sync, which fails the COMMIT just
// as well. A cache that spills would write pages before the COMMIT, and a ROLLBACK
// tells the file nothing: what it left in the buffer would be written later, over
// the transactions of others.

// Zeros behind the log are no frames: their salts and checksums do not fit, and the
// next transactions overwrite them. They are written only in a COMMIT, under the
// writer's lock.
//
// Over the system's own layer the log is synced by fdatasync, which writes the data
// and what is needed to find it, and not the times of the file. SQLite as
// the driver builds it calls fsync, and does not give its descriptor.

//go:build linux && cgo

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The part of SQLite's public interface that is used here. It is binary stable;
// the library itself is linked by the driver. The functions are weak, because
// cgo links each package alone to look at it.
typedef struct sqlite3_file sqlite3_file;
typedef struct sqlite3_vfs sqlite3_vfs;
typedef struct {
	int iVersion;
	int (*xClose)(sqlite3_file *);
	int (*xRead)(sqlite3_file *, void *, int, int64_t);
	int (*xWrite)(sqlite3_file *, const void *, int, int64_t);
	int (*xTruncate)(sqlite3_file *, int64_t);
	int (*xSync)(sqlite3_file *, int);
	int (*xFileSize)(sqlite3_file *, int64_t *);
	int (*xLock)(sqlite3_file *, int);
	int (*xUnlock)(sqlite3_file *, int);
	int (*xCheckReservedLock)(sqlite3_file *, int *);
	int (*xFileControl)(sqlite3_file *, int, void *);
	int (*xSectorSize)(sqlite3_file *);
	int (*xDeviceCharacteristics)(sqlite3_file *);
} sqlite3_io_methods; // of version 1, which has no more
struct sqlite3_file { const sqlite3_io_methods *pMethods; };
struct sqlite3_vfs {
	int iVersion;
	int szOsFile;
	int mxPathname;
	sqlite3_vfs *pNext;
	const char *zName;
	void *pAppData;
	int (*xOpen)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);
	void *rest[17]; // taken over as they are
};
extern sqlite3_vfs *sqlite3_vfs_find(const char *) __attribute__((weak));
extern int sqlite3_vfs_register(sqlite3_vfs *, int) __attribute__((weak));

enum { OK = 0, NOMEM = 7, FULL = 13, IOERR_FSYNC = 10 | 4 << 8, WAL = 0x80000 };

// A batch of 256 steps has about as much. The system's layer takes no more
// than 128 KiB in one call, because SQLite writes single pages.
enum { ROOM = 1 << 20, PIECE = 64 << 10 };

// A log of this size is laid out ahead by as much as it has, up to a bound.
enum { LAID_OUT = 64 << 10, AHEAD = 256 << 10 };

typedef struct {
	sqlite3_file base;
	sqlite3_file *real;
	char *buffer;
	int size;       // of what the buffer holds
	int64_t offset; // where that belongs
	int64_t end;    // of the file, or before that
	int fd;         // of our own on the file; -1 where there is none
	int synced;     // by the layer below
} file;

typedef struct {
	sqlite3_vfs vfs;
	sqlite3_vfs *below;
	int system; // below is the system's own
	char name[256];
} layer;

#define CALL(f, method, ...) (((file *)(f))->real->pMethods->method(((file *)(f))->real, ##__VA_ARGS__))

// put writes as much as the system's layer takes with one call.
static int put(file *f, const char *bytes, int64_t size, int64_t offset) {
	int code = OK;
	for (int64_t at = 0; at < size && code == OK; at += PIECE)
		code = CALL(f, xWrite, bytes + at, size - at < PIECE ? size - at : PIECE, offset + at);
	return code;
}

// lay_out writes zeros behind the log where it has come to the end of the file. A
// disk that is full may still have room for what counts.
static int lay_out(file *f, int64_t end) {
	static const char zeros[PIECE];
	if (end <= f->end || end < LAID_OUT) return OK;
	int code = CALL(f, xFileSize, &f->end);
	if (code != OK || end < f->end) return code; // others have written behind it
	for (int64_t to = end + (end < AHEAD ? end : AHEAD); end < to && code == OK; end += PIECE)
		code = CALL(f, xWrite, zeros, PIECE, end);
	f->end = end;
	return code == FULL ? OK : code;
}

// flush writes what the buffer holds. Where that fails it is given up: the
// transaction that it is of fails.
static int flush(file *f) {
	if (f->size == 0) return OK;
	int size = f->size;
	f->size = 0;
	int code = put(f, f->buffer, size, f->offset);
	return code == OK ? lay_out(f, f->offset + size) : code;
}

// A single write is that of a page, or less: it has room in an empty buffer.
static int file_write(sqlite3_file *base, const void *bytes, int size, int64_t offset) {
	file *f = (file *)base;
	if (f->size > 0 && (offset != f->offset + f->size || f->size + size > ROOM)) {
		int code = flush(f);
		if (code != OK) return code;
	}
	if (f->size == 0) f->offset = offset;
	memcpy(f->buffer + f->size, bytes, size);
	f->size += size;
	return OK;
}

// Whatever else is asked of the file is asked when it holds what was written.
#define FLUSHED(f, call)                \
	do {                                \
		int code = flush((file *)(f));  \
		return code == OK ? (call) : code; \
	} while (0)

static int file_read(sqlite3_file *f, void *into, int size, int64_t offset) {
	FLUSHED(f, CALL(f, xRead, into, size, offset));
}
static int file_truncate(sqlite3_file *f, int64_t size) {
	((file *)f)->end = 0; // asked for anew
	FLUSHED(f, CALL(f, xTruncate, size));
}

// sync_log leaves the first sync to the layer below, which syncs the folder too.
static int sync_log(file *f, int flags) {
	if (f->synced && f->fd >= 0) return fdatasync(f->fd) == 0 ? OK : IOERR_FSYNC;
	int code = CALL(f, xSync, flags);
	if (code == OK) f->synced = 1;
	return code;
}
static int file_sync(sqlite3_file *f, int flags) { FLUSHED(f, sync_log((file *)f, flags)); }
static int file_size(sqlite3_file *f, int64_t *size) { FLUSHED(f, CALL(f, xFileSize, size)); }

static int file_close(sqlite3_file *f) {
	int flushed = flush((file *)f), closed = CALL(f, xClose);
	if (((file *)f)->fd >= 0) close(((file *)f)->fd);
	free(((file *)f)->buffer);
	return flushed != OK ? flushed : closed;
}

static int file_lock(sqlite3_file *f, int level) { return CALL(f, xLock, level); }
static int file_unlock(sqlite3_file *f, int level) { return CALL(f, xUnlock, level); }
static int file_reserved(sqlite3_file *f, int *held) { return CALL(f, xCheckReservedLock, held); }
static int file_control(sqlite3_file *f, int op, void *arg) { return CALL(f, xFileControl, op, arg); }
static int file_sector(sqlite3_file *f) { return CALL(f, xSectorSize); }
static int file_characteristics(sqlite3_file *f) { return CALL(f, xDeviceCharacteristics); }

static const sqlite3_io_methods methods = {
	1, file_close, file_read, file_write, file_truncate, file_sync, file_size,
	file_lock, file_unlock, file_reserved, file_control, file_sector, file_characteristics,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out) {
	sqlite3_vfs *below = ((layer *)vfs)->below;
	if (!(flags & WAL)) return below->xOpen(below, name, f, flags, out);
	file *made = (file *)f;
	made->base.pMethods = NULL;
	made->real = (sqlite3_file *)(made + 1);
	made->size = 0;
	made->end = 0;
	made->fd = -1;
	made->synced = 0;
	made->buffer = malloc(ROOM);
	if (!made->buffer) return NOMEM;
	int code = below->xOpen(below, name, made->real, flags, out);
	if (code == OK && ((layer *)vfs)->system) made->fd = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (made->real->pMethods) made->base.pMethods = &methods;
	else free(made->buffer);
	return code;
}

// walbuffer_register gives the name of the layer over the one named base, which
// it makes known to SQLite if need be; NULL where it cannot. Calls take turns.
const char *walbuffer_register(const char *base) {
	if (!sqlite3_vfs_find || !sqlite3_vfs_register) return NULL;
	sqlite3_vfs *below = sqlite3_vfs_find(*base ? base : NULL);
	layer *made = below ? calloc(1, sizeof *made) : NULL;
	if (!made) return NULL;
	int length = snprintf(made->name, sizeof made->name, "walbuffer-%s", below->zName);
	sqlite3_vfs *known = length < (int)sizeof made->name ? sqlite3_vfs_find(made->name) : NULL;
	if (known || length >= (int)sizeof made->name) {
		free(made);
		return known ? known->zName : NULL;
	}
	made->vfs = *below;
	made->vfs.pNext = NULL;
	made->vfs.zName = made->name;
	made->vfs.szOsFile = (int)sizeof(file) + below->szOsFile;
	made->vfs.xOpen = open_file;
	made->below = below;
	made->system = !strcmp(below->zName, "unix");
	if (sqlite3_vfs_register(&made->vfs, 0) == OK) return made->name;
	free(made);
	return NULL;
}
