/*
 * What was asked for, by the environment and by callsig_start().
 */
#ifndef CALLSIG_PROFILER_BASE_OPTIONS_H
#define CALLSIG_PROFILER_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "callsig/callsig.h"
#include "profiler/base/process.h"

/* Fills an options structure of `size` bytes from one that begins with its own size: what it lacks is 0. Anywhere. */
void prof_options_copy(void *target, size_t size, const void *source);

/* May a structure of options, which begins with its own size and is `function`'s, be taken by a library that knows
 * `known` bytes of it: is the rest 0? Else -EINVAL after a message. Outside of slow sections. */
int prof_options_check(const char *function, const void *source, size_t known);

/* Keeps a copy of the options of callsig_start() for prof_settings_load(). 0, or -EINVAL when they
 * are too short to have a size, or as of prof_options_check(). */
int prof_options_keep(const struct callsig_options *options);

/* Fills process->settings from the environment and what callsig_start() left. Called once, with signals blocked, before
 * the recording is made. */
void prof_settings_load(struct prof_process *process);

#endif
