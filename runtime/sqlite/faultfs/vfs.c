// A file layer (VFS) of SQLite that hands every call on to the system's own,
// records what changes a file, and makes a chosen call fail.
// See sqlite.org/vfs.html and sqlite.org/c3ref/io_methods.html.

//go:build linux && cgo

#include "vfs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The part of SQLite's public interface that is used here. It is binary stable;
// the library itself is linked by the driver.
typedef struct sqlite3_file sqlite3_file;
typedef struct sqlite3_vfs sqlite3_vfs;
typedef struct sqlite3_io_methods sqlite3_io_methods;
struct sqlite3_file { const sqlite3_io_methods *pMethods; };
struct sqlite3_io_methods {
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
	int (*xShmMap)(sqlite3_file *, int, int, int, void volatile **);
	int (*xShmLock)(sqlite3_file *, int, int, int);
	void (*xShmBarrier)(sqlite3_file *);
	int (*xShmUnmap)(sqlite3_file *, int);
};
struct sqlite3_vfs {
	int iVersion;
	int szOsFile;
	int mxPathname;
	sqlite3_vfs *pNext;
	const char *zName;
	void *pAppData;
	int (*xOpen)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);
	int (*xDelete)(sqlite3_vfs *, const char *, int);
	void *rest[16]; // taken over as they are
};
extern sqlite3_vfs *sqlite3_vfs_find(const char *);
extern int sqlite3_vfs_register(sqlite3_vfs *, int);

enum { OK = 0, MAIN_DB = 0x100, MAIN_JOURNAL = 0x800, WAL = 0x80000 };

typedef struct {
	sqlite3_file base;
	int32_t number; // 0 where the file holds nothing that lasts
	sqlite3_file *real;
} file;

static sqlite3_vfs *system_vfs;
static sqlite3_vfs fault_vfs;

// All that follows is guarded by the lock.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int recording;
static char *record;
static int64_t record_size, record_room;
static char *names[256]; // by number; 0 is free
static int name_count = 1;
static struct { int kinds, forever, code; int64_t at, seen; } plan;
static int held, waiting; // kinds of calls that hang, and how many do
static pthread_cond_t let_go = PTHREAD_COND_INITIALIZER;

static int32_t number_of(const char *name) {
	for (int i = 1; i < name_count; i++)
		if (strcmp(names[i], name) == 0) return i;
	if (name_count == (int)(sizeof names / sizeof *names)) abort();
	names[name_count] = strdup(name);
	return name_count++;
}

static void append(const void *bytes, int64_t size) {
	while (record_size + size > record_room) {
		record_room = record_room ? 2 * record_room : 1 << 20;
		record = realloc(record, record_room);
		if (!record) abort();
	}
	memcpy(record + record_size, bytes, size);
	record_size += size;
}

static void note(int kind, int32_t number, int64_t offset, int64_t size, const void *bytes) {
	if (!recording || number == 0) return;
	faultfs_op op = {kind, number, offset, size};
	append(&op, sizeof op);
	if (bytes) append(bytes, size);
}

// refuse counts a call and says with which code it fails, or OK. One that is held
// waits, without the lock.
static int refuse(int kind, int32_t number) {
	while (number != 0 && (held & kind)) {
		waiting++;
		pthread_cond_wait(&let_go, &lock);
		waiting--;
	}
	if (number == 0 || !(plan.kinds & kind)) return OK;
	plan.seen++;
	return plan.seen == plan.at || (plan.forever && plan.at > 0 && plan.seen > plan.at) ? plan.code : OK;
}

#define REAL(f) (((file *)(f))->real)
#define CALL(f, method, ...) (REAL(f)->pMethods->method(REAL(f), ##__VA_ARGS__))

// A change of a file: refused, or done and noted, all under the lock, so that
// the record has the order in which the changes happened.
#define CHANGE(f, kind, offset, size, bytes, call)                                  \
	do {                                                                            \
		pthread_mutex_lock(&lock);                                                  \
		int code = refuse(kind, ((file *)(f))->number);                             \
		if (code == OK) code = (call);                                              \
		if (code == OK) note(kind, ((file *)(f))->number, offset, size, bytes);     \
		pthread_mutex_unlock(&lock);                                                \
		return code;                                                                \
	} while (0)

static int file_close(sqlite3_file *f) { return CALL(f, xClose); }

static int file_read(sqlite3_file *f, void *into, int size, int64_t offset) {
	pthread_mutex_lock(&lock);
	int code = refuse(FAULT_READ, ((file *)f)->number);
	pthread_mutex_unlock(&lock);
	return code == OK ? CALL(f, xRead, into, size, offset) : code;
}

static int file_write(sqlite3_file *f, const void *bytes, int size, int64_t offset) {
	CHANGE(f, FAULT_WRITE, offset, size, bytes, CALL(f, xWrite, bytes, size, offset));
}

static int file_truncate(sqlite3_file *f, int64_t size) {
	CHANGE(f, FAULT_TRUNCATE, 0, size, NULL, CALL(f, xTruncate, size));
}

static int file_sync(sqlite3_file *f, int flags) {
	CHANGE(f, FAULT_SYNC, 0, 0, NULL, CALL(f, xSync, flags));
}

static int file_size(sqlite3_file *f, int64_t *size) { return CALL(f, xFileSize, size); }
static int file_lock(sqlite3_file *f, int level) { return CALL(f, xLock, level); }
static int file_unlock(sqlite3_file *f, int level) { return CALL(f, xUnlock, level); }
static int file_reserved(sqlite3_file *f, int *held) { return CALL(f, xCheckReservedLock, held); }
static int file_control(sqlite3_file *f, int op, void *arg) { return CALL(f, xFileControl, op, arg); }
static int file_sector(sqlite3_file *f) { return CALL(f, xSectorSize); }
static int shm_map(sqlite3_file *f, int region, int size, int extend, void volatile **at) {
	return CALL(f, xShmMap, region, size, extend, at);
}
static int shm_lock(sqlite3_file *f, int offset, int n, int flags) { return CALL(f, xShmLock, offset, n, flags); }
static void shm_barrier(sqlite3_file *f) { CALL(f, xShmBarrier); }
static int shm_unmap(sqlite3_file *f, int drop) { return CALL(f, xShmUnmap, drop); }

static int file_characteristics(sqlite3_file *f) { return CALL(f, xDeviceCharacteristics); }

static const sqlite3_io_methods methods = {
	2, file_close, file_read, file_write, file_truncate, file_sync, file_size,
	file_lock, file_unlock, file_reserved, file_control, file_sector, file_characteristics,
	shm_map, shm_lock, shm_barrier, shm_unmap,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out) {
	(void)vfs;
	file *made = (file *)f;
	made->real = (sqlite3_file *)(made + 1);
	made->number = 0;
	int code = system_vfs->xOpen(system_vfs, name, made->real, flags, out);
	made->base.pMethods = made->real->pMethods ? &methods : NULL;
	if (code == OK && name && (flags & (MAIN_DB | MAIN_JOURNAL | WAL))) {
		pthread_mutex_lock(&lock);
		made->number = number_of(name);
		pthread_mutex_unlock(&lock);
	}
	return code;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync_directory) {
	(void)vfs;
	pthread_mutex_lock(&lock);
	int code = system_vfs->xDelete(system_vfs, name, sync_directory);
	if (code == OK) note(FAULT_DELETE, number_of(name), 0, 0, NULL);
	pthread_mutex_unlock(&lock);
	return code;
}

// faultfs_register makes the layer known to SQLite as "faultfs".
int faultfs_register(void) {
	system_vfs = sqlite3_vfs_find(NULL);
	if (!system_vfs) return 1;
	fault_vfs = *system_vfs;
	fault_vfs.zName = "faultfs";
	fault_vfs.pNext = NULL;
	fault_vfs.szOsFile = (int)sizeof(file) + system_vfs->szOsFile;
	fault_vfs.xOpen = open_file;
	fault_vfs.xDelete = delete_file;
	return sqlite3_vfs_register(&fault_vfs, 0);
}

// faultfs_record starts an empty record, or ends recording.
void faultfs_record(int on) {
	pthread_mutex_lock(&lock);
	recording = on;
	if (on) record_size = 0;
	pthread_mutex_unlock(&lock);
}

void faultfs_mark(int64_t number) {
	pthread_mutex_lock(&lock);
	note(FAULT_MARK, -1, number, 0, NULL);
	pthread_mutex_unlock(&lock);
}

int64_t faultfs_log_size(void) { return record_size; }
void faultfs_log_copy(void *into) { memcpy(into, record, record_size); }
const char *faultfs_file_name(int32_t number) { return number > 0 ? names[number] : ""; }

// faultfs_fail lets the call number at of the kinds fail, counted from now;
// with forever all later ones too. 0 only counts.
void faultfs_fail(int kinds, int64_t at, int forever, int code) {
	pthread_mutex_lock(&lock);
	plan.kinds = kinds;
	plan.at = at;
	plan.forever = forever;
	plan.code = code;
	plan.seen = 0;
	pthread_mutex_unlock(&lock);
}

// faultfs_hold lets all calls of the kinds hang until it is called with others.
void faultfs_hold(int kinds) {
	pthread_mutex_lock(&lock);
	held = kinds;
	pthread_cond_broadcast(&let_go);
	pthread_mutex_unlock(&lock);
}

int faultfs_waiting(void) {
	pthread_mutex_lock(&lock);
	int n = waiting;
	pthread_mutex_unlock(&lock);
	return n;
}

int64_t faultfs_seen(void) {
	pthread_mutex_lock(&lock);
	int64_t seen = plan.seen;
	pthread_mutex_unlock(&lock);
	return seen;
}
