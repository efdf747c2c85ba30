/*
 * The sleds of the process's modules, switched on and off.
 */
#ifndef CALLSIG_PROFILER_SLED_SLEDS_H
#define CALLSIG_PROFILER_SLED_SLEDS_H

/* Finds the modules with sleds that are not switched on yet, and switches them on; a program without any is left alone.
 * When recording is disabled, nothing happens. Outside of slow sections, under the
 * dynamic loader's lock or before main. May run a command, as the first call of a
 * function may. */
void prof_sleds_find(void);

#endif
