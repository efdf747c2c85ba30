/*
 * Which code of a module belongs to functions that are profiled. Beside these a module may have others: those written
 * in assembly, those of a library that was linked in as it came, and those that the compiler was told to leave out.
 */
#ifndef CALLSIG_SYMBOLS_SITES_PROFILED_CODE_H
#define CALLSIG_SYMBOLS_SITES_PROFILED_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct sym_profiled_code;

/* Reads the file at `path`. -ENOMEM, -EINVAL, or what sym_debugfile_open() gives; then *code is NULL. */
int sym_profiled_code_open(struct sym_profiled_code **code, const char *path);
void sym_profiled_code_close(struct sym_profiled_code *code);

/* Whether what lies at `offset` in the file is known to be in a function that neither a sled nor a call of a hook is
 * in. A clone or a cold part of a function is taken for it, and so is another function of the same name. False for code
 * that no symbol holds, and for all of a module without sleds and hooks, or without symbols of local functions. */
bool sym_is_unprofiled(const struct sym_profiled_code *code, uint64_t offset);

#endif
