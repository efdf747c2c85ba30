/* Follows a stopped thread's calls outwards, with libdwfl.
 *
 * A thread may call dlopen() where it holds none of the locks that dlopen() takes: the loader's, the allocator's, and
 * the runtime's. That is so where all of its callers can be named, and none of them is the loader, a function that
 * allocates, or the runtime, and where it is either in code of the program's own, or in a system call that neither
 * makes. A signal's handler may have interrupted anything. The runtime itself, once it is there, needs none but its own
 * locks.
 */
#include "cli/attach/safe_point.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "cli/attach/thread_list.h"

/* Of the stack that dlopen() and the runtime's start take. */
#define LEAST_STACK (UINT64_C(96) << 10)
/* Of one that grows, that is there already: what another process writes there does not make it grow. */
#define LEAST_GROWN (UINT64_C(16) << 10)
/* Not every C library's headers have it: Linux 5.13. */
#define GET_RSEQ_CONFIGURATION ((enum __ptrace_request)0x420f)

#define MOST_FRAMES 100000u /* a stack that leads in circles */

struct calls {
  enum cli_purpose purpose;
  bool in_call; /* the innermost frame is in a system call */
  unsigned count;
  const char *why; /* NULL: nothing speaks against it */
};

/* No debug information is needed, and none is to be asked for over the network. */
static int find_no_debuginfo(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, const char *file,
                             const char *link, GElf_Word checksum, char **found)
{
  (void)module, (void)user, (void)name, (void)base, (void)file, (void)link, (void)checksum, (void)found;
  return -1;
}

/* libdwfl takes names from the list of mappings, which has a new line of a path as "\012". */
static int find_elf(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, char **file, Elf **elf)
{
  int found = dwfl_linux_proc_find_elf(module, user, name, base, file, elf);
  if (found >= 0 || *elf != NULL || strstr(name, "\\012") == NULL)
    return found;
  char *path = strdup(name);
  if (path == NULL)
    return -1;
  for (char *at = strstr(path, "\\012"); at != NULL; at = strstr(at, "\\012")) {
    *at++ = '\n';
    memmove(at, at + 3, strlen(at + 3) + 1);
  }
  found = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (found >= 0)
    *file = path;
  else
    free(path);
  return found;
}

static bool begins_with(const char *text, const char *beginning)
{
  return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* A function below which the allocator's, the loader's or the C library's own locks may be held. */
static bool holds_locks(const char *function)
{
  static const char *const parts[] = {"alloc", "memalign", "dlopen", "dlclose", "dlsym", "dl_iterate", "fork"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strstr(function, parts[i]) != NULL)
      return true;
  return strcmp(function, "free") == 0 || strcmp(function, "cfree") == 0;
}

static const char *file_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* What speaks against a frame at `pc`, or NULL. */
static const char *look_at_frame(const struct calls *calls, Dwfl_Module *module, Dwarf_Addr pc)
{
  const char *path = module != NULL ? dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL) : NULL;
  if (path == NULL)
    return "it is in code of no file";
  const char *file = file_name(path);
  if (begins_with(file, "libcallsig.so"))
    return "it is in the runtime";
  if (calls->purpose == CLI_TO_SWITCH)
    return NULL;
  bool in_library = begins_with(file, "libc.so") || begins_with(file, "libc-2.") || begins_with(file, "libpthread");
  if (begins_with(file, "ld-") || begins_with(file, "ld.so"))
    return "it is in the dynamic loader";
  if (calls->count == 1 && !calls->in_call && (in_library || path[0] != '/'))
    return "it is inside of the C library";
  GElf_Sym symbol;
  GElf_Off offset;
  const char *function = dwfl_module_addrinfo(module, pc, &offset, &symbol, NULL, NULL, NULL);
  return function != NULL && holds_locks(function) ? "it is in the allocator, or loads or forks" : NULL;
}

static int visit(Dwfl_Frame *frame, void *data)
{
  struct calls *calls = data;
  Dwarf_Addr pc = 0;
  bool activation = false;
  calls->count++;
  if (!dwfl_frame_pc(frame, &pc, &activation)) {
    calls->why = "its stack cannot be followed";
    return DWARF_CB_ABORT;
  }
  if (calls->count > 1 && activation && calls->purpose == CLI_TO_LOAD)
    calls->why = "it is in the handler of a signal";
  else if (calls->count > MOST_FRAMES)
    calls->why = "its stack has too many frames";
  else {
    Dwarf_Addr inside = activation ? pc : pc - 1;
    Dwfl *dwfl = dwfl_thread_dwfl(dwfl_frame_thread(frame));
    calls->why = look_at_frame(calls, dwfl_addrmodule(dwfl, inside), inside);
  }
  return calls->why != NULL ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* Follows its calls to the outermost. */
static int follow(const struct cli_borrowed *thread, struct calls *calls)
{
  static const Dwfl_Callbacks callbacks = {.find_elf = find_elf, .find_debuginfo = find_no_debuginfo};
  Dwfl *dwfl = dwfl_begin(&callbacks);
  if (dwfl == NULL)
    return -ENOMEM;
  bool known = dwfl_linux_proc_report(dwfl, thread->process) == 0 && dwfl_report_end(dwfl, NULL, NULL) == 0 &&
               dwfl_linux_proc_attach(dwfl, thread->process, true) == 0;
  int followed = known ? dwfl_getthread_frames(dwfl, thread->thread, visit, calls) : -1;
  if (followed != 0 && calls->why == NULL)
    calls->why = "its stack cannot be followed";
  dwfl_end(dwfl);
  return 0;
}

/* Is the thread between the beginning and the end of a sequence that the kernel begins again when the thread is moved
 * to another processor (rseq)? */
static bool is_in_sequence(const struct cli_borrowed *thread)
{
  struct {
    uint64_t address; /* of what the thread shares with the kernel */
    uint32_t size, signature, flags, unused;
  } shared = {0};
  uint64_t sequence = 0;
  if (ptrace(GET_RSEQ_CONFIGURATION, thread->thread, sizeof shared, &shared) != (long)sizeof shared ||
      shared.address == 0)
    return false;
  /* Behind the two numbers of the processor. */
  return cli_memory_read(thread->process, shared.address + 8, &sequence, sizeof sequence) == 0 && sequence != 0;
}

static bool has_stack(const struct cli_mappings *mappings, uint64_t sp)
{
  const struct cli_memory_mapping *stack = cli_mappings_at(mappings, sp);
  /* That of the first thread grows. */
  return stack != NULL && sp - stack->start >= (strcmp(stack->path, "[stack]") == 0 ? LEAST_GROWN : LEAST_STACK);
}

int cli_safe_point(const struct cli_borrowed *thread, const struct cli_mappings *mappings, enum cli_purpose purpose,
                   const char **why)
{
  struct cli_place place;
  struct calls calls = {.purpose = purpose};
  int error = cli_arch_look(thread->thread, &place);
  if (error < 0)
    return error;
  calls.in_call = place.call >= 0;
  *why = NULL;
  if (purpose == CLI_TO_LOAD && cli_thread_rank_of(place.call, place.arguments) == CLI_THREAD_BUSY)
    *why = "it is in a system call that the loader or the allocator may make";
  else if (!has_stack(mappings, place.sp))
    *why = "its stack has too little room";
  else if (!calls.in_call && is_in_sequence(thread))
    *why = "it is in a sequence that may be begun again (rseq)";
  if (*why != NULL)
    return 0;
  error = follow(thread, &calls);
  *why = calls.why;
  return error < 0 ? error : calls.why == NULL;
}
