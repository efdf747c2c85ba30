/*
 * MADV_WIPEONFORK (Linux 4.14), for C libraries whose headers do not have it yet.
 */
#ifndef CALLSIG_PROFILER_BASE_WIPE_ON_FORK_H
#define CALLSIG_PROFILER_BASE_WIPE_ON_FORK_H

#include <sys/mman.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

#endif
