/*
 * The dynamic loader: told of, when it has mapped a module and before code of the module runs.
 */
#ifndef CALLSIG_PROFILER_SLED_LOADER_H
#define CALLSIG_PROFILER_SLED_LOADER_H

/* From now on calls `changed` whenever the loader has added modules or taken some away, in the thread that asked it to,
 * under the loader's lock. Once, with signals blocked. Where the loader cannot be watched, modules that are loaded
 * later are not told of: -ENOENT when there is none, as in a statically linked program, else another negative errno. */
long prof_loader_watch(void (*changed)(void));

#endif
