/*
 * Watching the dynamic loader, by the function that it calls for debuggers.
 *
 * The loader calls an empty function, r_debug.r_brk, before and after it changes the list of modules; after adding some
 * it does so before their constructors run. A debugger sets a breakpoint there; here the function becomes a jump. An
 * interposed dlopen() would come after the constructors, and would look up libraries for callsig in place of the
 * program's own caller.
 */
#include "profiler/sled/loader.h"

#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "profiler/arch/x86_64/sled_text/sled_text.h"
#include "profiler/arch/x86_64/stub/stub.h"
#include "profiler/base/syscall.h"
#include "profiler/sled/near_memory.h"

#define PAGE 4096u

/* Not in a statically linked program. */
extern struct r_debug _r_debug __attribute__((weak));

static void (*loader_changed)(void);

static void on_change(void)
{
  if (_r_debug.r_state == RT_CONSISTENT)
    loader_changed();
}

long prof_loader_watch(void (*changed)(void))
{
  uintptr_t function = &_r_debug ? (uintptr_t)_r_debug.r_brk : 0;
  if (!function)
    return -ENOENT;
  if (!prof_text_is_empty_function(function))
    return -EBUSY;
  uintptr_t page = function & ~(uintptr_t)(PAGE - 1);
  long mapped = prof_near_map(page, page + PAGE, PROF_SLED_REACH, 2 * (size_t)PAGE);
  if (prof_sys_failed(mapped))
    return mapped;
  uintptr_t *target = (uintptr_t *)mapped;
  uint8_t *stub = (uint8_t *)mapped + PAGE;
  *target = (uintptr_t)on_change;
  prof_stub_write_jump(stub, target);
  loader_changed = changed;
  long error = PROF_SYSCALL3(SYS_mprotect, stub, PAGE, PROT_READ | PROT_EXEC);
  if (error == 0)
    error = PROF_SYSCALL3(SYS_mprotect, page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
  if (error < 0) {
    prof_sys_munmap((void *)mapped, 2 * (size_t)PAGE);
    return error;
  }
  prof_text_jump(function, (uintptr_t)stub);
  PROF_SYSCALL3(SYS_mprotect, page, PAGE, PROT_READ | PROT_EXEC);
  return 0;
}
