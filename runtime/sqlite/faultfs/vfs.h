// What Go asks of the file layer in vfs.c.

#ifndef FAULTFS_VFS_H
#define FAULTFS_VFS_H

#include <stdint.h>

// Kinds of calls, as bits.
enum { FAULT_READ = 1, FAULT_WRITE = 2, FAULT_SYNC = 4, FAULT_TRUNCATE = 8, FAULT_DELETE = 16, FAULT_MARK = 32 };

// One recorded call. Its bytes, if any, follow it in the log.
typedef struct {
	int32_t kind;
	int32_t file; // a number; see faultfs_file_name
	int64_t offset;
	int64_t size; // of what was written, or of the file after a truncation
} faultfs_op;

int faultfs_register(void);

void faultfs_record(int on);
void faultfs_mark(int64_t number);
int64_t faultfs_log_size(void);
void faultfs_log_copy(void *into);
const char *faultfs_file_name(int32_t file);

void faultfs_fail(int kinds, int64_t at, int forever, int code);
int64_t faultfs_seen(void);

void faultfs_hold(int kinds);
int faultfs_waiting(void);

#endif
