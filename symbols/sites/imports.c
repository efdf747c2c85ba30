/*
 * Finds out which slots of imported functions are only called through.
 *
 * Code reaches a slot by a 32-bit distance from behind the instruction, which ends in it. So every four bytes that lead
 * to a slot are looked at, wherever they lie: where those before them are not a call's or a jump's, the slot counts as
 * read. Bytes that are no such distance and look like one can only leave a slot out.
 */
#include "symbols/sites/imports.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DISTANCE = 4, CALL_OPCODE = 0xff, CALL_OPERANDS = 0x15, JUMP_OPERANDS = 0x25 };

static bool is_among(const char *name, const char *const *names, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}

static bool begins_with_one(const char *name, const char *const *beginnings, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
      return true;
  return false;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Called by start files and compilers alone, or with registers of their own. */
static bool is_left_out(const char *name)
{
  static const char *const names[] = {"__gmon_start__", "__cxa_finalize", "__libc_start_main", "__tls_get_addr",
                                      "mcount",         "_mcount",        "__fentry__",        "__morestack"};
  static const char *const beginnings[] = {"__cyg_profile_func_", "callsig_", "_ITM_", "_dl_", "__xray_"};
  return is_among(name, names, COUNT(names)) || begins_with_one(name, beginnings, COUNT(beginnings));
}

bool sym_import_returns_plainly(const char *name)
{
  /* They return twice, elsewhere or never, go on in another process, or take apart the stack that they are called on.
   */
  static const char *const names[] = {
      "setjmp",        "_setjmp",    "__sigsetjmp", "sigsetjmp",   "longjmp",     "_longjmp",  "siglongjmp",
      "__longjmp_chk", "getcontext", "setcontext",  "swapcontext", "makecontext", "savectx",   "fork",
      "_Fork",         "vfork",      "__vfork",     "clone",       "clone3",      "daemon",    "forkpty",
      "exit",          "_exit",      "_Exit",       "quick_exit",  "abort",       "thrd_exit", "pthread_exit",
      "execv",         "execve",     "execvp",      "execvpe",     "fexecve",     "execveat",  "dlopen",
      "dlmopen",       "dlsym",      "dlvsym",      "dlclose",     "dladdr",      "backtrace", "__cxa_throw",
      "__cxa_rethrow", "unshare",    "setns"};
  static const char *const beginnings[] = {"_Unwind_", "__assert", "__stack_chk_fail"};
  return !is_among(name, names, COUNT(names)) && !begins_with_one(name, beginnings, COUNT(beginnings));
}

static int compare_slots(const void *slot, const void *import)
{
  uint64_t left = *(const uint64_t *)slot, right = ((const struct sym_import *)import)->slot;
  return (left > right) - (left < right);
}

/* Marks the imports whose slots some code of the section reads. */
static void mark_read(const struct sym_hook *hook, const struct sym_code_bytes *code, bool *is_read)
{
  const struct sym_import *first = base_vector_at(&hook->imports, 0);
  const uint64_t low = first->slot, high = first[hook->imports.count - 1].slot;
  for (size_t at = 2; at + DISTANCE <= code->size; at++) {
    int32_t distance;
    memcpy(&distance, code->bytes + at, sizeof distance);
    uint64_t slot = code->address + at + DISTANCE + (uint64_t)(int64_t)distance;
    if (slot < low || slot > high)
      continue;
    const uint8_t operands = code->bytes[at - 1];
    if (code->bytes[at - 2] == CALL_OPCODE && (operands == CALL_OPERANDS || operands == JUMP_OPERANDS))
      continue;
    const struct sym_import *import = bsearch(&slot, first, hook->imports.count, sizeof *first, compare_slots);
    if (import && !import->is_jump_slot)
      is_read[import - first] = true;
  }
}

int sym_imports_find(const struct sym_hook *hook, struct base_vector *imports)
{
  *imports = (struct base_vector)BASE_VECTOR_OF(struct sym_import);
  if (hook->processor->machine != EM_X86_64 || !hook->imports.count)
    return 0;
  bool *is_read = calloc(hook->imports.count, sizeof *is_read);
  int error = is_read ? 0 : -ENOMEM;
  for (uint32_t i = 0; !error && i < hook->sections.count; i++)
    mark_read(hook, base_vector_at(&hook->sections, i), is_read);
  for (uint32_t i = 0; !error && i < hook->imports.count; i++) {
    const struct sym_import *import = base_vector_at(&hook->imports, i), *last = NULL;
    if (imports->count)
      last = base_vector_at(imports, imports->count - 1);
    if (is_left_out(import->name) || (last && last->slot == import->slot))
      continue;
    struct sym_import *added = base_vector_add(imports, 1);
    error = added ? 0 : -ENOMEM;
    if (added) {
      *added = *import;
      added->is_read = is_read[i];
    }
  }
  free(is_read);
  return error;
}
