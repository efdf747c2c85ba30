/*
 * Opens files with libdwarf.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_OBJECT_H
#define CALLSIG_SYMBOLS_VERIFY_OBJECT_H

#include <stdbool.h>

#include "symbols/verify/reader.h"

/* Opens the DWARF of a file, or of its separate debug file, whose path goes to `found` where that is not NULL. False,
 * and *dbg NULL: libdwarf finds none. */
bool vf_open_object(const char *path, unsigned group, char *found, unsigned found_size, Dwarf_Debug *dbg);

/* Reads the module's call frame information, when its first object is open. What cannot be read is not there. */
void vf_open_frames(struct vf_module *module);

void vf_close_frames(struct vf_module *module);

#endif
