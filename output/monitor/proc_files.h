/*
 * The files of a process in /proc. proc(5) says what each has.
 */
#ifndef CALLSIG_OUTPUT_MONITOR_PROC_FILES_H
#define CALLSIG_OUTPUT_MONITOR_PROC_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* Of /proc/PID/stat. */
struct out_proc_stat {
  char name[64];
  bool alive; /* else it has ended, and was not waited for */
  unsigned ppid;
  unsigned long long minor_faults, major_faults, threads, birth, resident_bytes;
  double user_time, system_time; /* seconds */
};

/* Reads a small file whole, NUL-terminated. False when it cannot be read. */
bool out_proc_read(const char *path, char *text, size_t size);

/* The number behind "NAME:" at the beginning of a line; UINT64_MAX when there is none. */
unsigned long long out_proc_field(const char *text, const char *name);

/* False when the process is gone. */
bool out_proc_stat(unsigned pid, struct out_proc_stat *stat);

#endif
