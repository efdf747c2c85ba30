/*
 * What the kernel tells in short files.
 */
#ifndef CALLSIG_PROFILER_BASE_PROC_FILES_H
#define CALLSIG_PROFILER_BASE_PROC_FILES_H

#include <stddef.h>
#include <stdint.h>

/* Reads the beginning of a file, at most `size` - 1 bytes, with a NUL behind them. How many; 0 where there is none.
 * Anywhere. */
long prof_small_file_read(const char *path, char *text, size_t size);

/* Reads where a link leads, at most `size` bytes and no NUL. How many, or a negative errno. Anywhere. */
long prof_link_read(const char *path, char *text, size_t size);

/* The same as prof_small_file_read() of the file `name` of a thread of the process, /proc/self/task/TID/NAME. */
long prof_task_file_read(uint32_t tid, const char *name, char *text, size_t size);

/* What a schedstat file tells of a thread; all 0 where the kernel keeps no account. */
struct prof_schedstat {
  uint64_t ran_ns, waited_ns; /* on a processor, and ready and waiting for one */
  uint64_t turns;             /* how often it got one */
};

#define PROF_SCHEDSTAT_SIZE 96u /* bytes of its text: three numbers, a newline and a NUL */

struct prof_schedstat prof_schedstat_parse(const char *text);

/* Where the kernel put the program's command line: its arguments, each with a NUL behind it, and from `end` on the
 * environment, over which a title may go on. All 0: it does not tell. */
struct prof_argument_area {
  uintptr_t begin, end, environment_end;
};

/* That of the calling process, for which /proc is asked. Anywhere. */
struct prof_argument_area prof_argument_area_find(void);

#endif
