/*
 * The module while the second reader reads it: opened, its scopes, ranges and calls listed.
 */
#ifndef CALLSIG_SYMBOLS_VERIFY_MODULE_H
#define CALLSIG_SYMBOLS_VERIFY_MODULE_H

#include "base/message.h"
#include "symbols/verify/reader.h"

/* Opens the module and reads its scopes. -ENOENT: it has no DWARF that libdwarf finds. */
int vf_module_open(struct vf_module *module, const char *path, FILE *out, base_message_fn message, void *data);
void vf_module_close(struct vf_module *module);

/* The innermost scope that holds `pc`, or NULL. */
struct vf_scope *vf_scope_at(struct vf_module *module, uint64_t pc);

/* The range of a scope that holds `pc`. False: none does. */
bool vf_scope_range(const struct vf_module *module, const struct vf_scope *scope, uint64_t pc, uint64_t *low,
                    uint64_t *high);

#endif
