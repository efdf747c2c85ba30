/* Loads the runtime into a running program, or finds it there, and switches recording on and off.
 *
 * One thread does it, stopped where it holds no lock that the loader, the allocator or the runtime may ask for. The
 * others run on: one of them may hold such a lock, and has to give it back.
 */
#include "cli/attach/attach.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/attach/borrow.h"
#include "cli/attach/code.h"
#include "cli/attach/indexes.h"
#include "cli/attach/refusals.h"
#include "cli/attach/remote_call.h"
#include "cli/attach/safe_point.h"
#include "cli/attach/settings.h"
#include "cli/attach/symbols.h"
#include "cli/attach/thread_list.h"
#include "cli/common/install_paths.h"
#include "cli/common/mappings.h"
#include "cli/common/recordings.h"
#include "cli/common/subcommand.h"
#include "cli/run/recording_place.h"
#include "format/attach.h"

#define RTLD_DLOPEN 0x80000000u /* of __libc_dlopen_mode(), until glibc 2.33 */

/* For how long a good moment is waited for: at most these times 10 to 17 milliseconds. */
#define LOOKS   400
#define LOOK_NS 10000000
/* For how long another command's thread may take. */
#define LOOKS_FOR_RUNTIME 200

/* What is under way in the process. */
struct work {
  pid_t pid;
  enum cli_purpose purpose;
  int process; /* descriptor of it */
  struct cli_executed program;
  struct cli_mappings mappings;
  struct cli_borrowed thread;
  struct cli_remote remote;
  uint64_t code; /* cli_arch_code, in the process; 0: not yet */
};

/* Says what went wrong, or that the process became another program meanwhile, which explains it. */
__attribute__((format(printf, 2, 3))) static void tell(const struct work *work, const char *format, ...)
{
  char text[PATH_MAX + 256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (cli_executed_since(work->pid, &work->program))
    cli_error("attach: process %d executed another program meanwhile: attach to it again", (int)work->pid);
  else
    cli_error("attach: process %d: %s", (int)work->pid, text);
}

/* Borrows the first of the threads that is at a good point. 1: there is one; 0: not now; or a negative errno. */
static int borrow_any(struct work *work, const struct base_vector *threads, const char **why)
{
  for (uint32_t i = 0; i < threads->count; i++) {
    const struct cli_thread *thread = base_vector_at(threads, i);
    if (thread->rank == CLI_THREAD_BUSY)
      continue;
    int error = cli_borrow(work->pid, thread->id, &work->thread);
    if (error == -EAGAIN)
      continue;
    if (error < 0)
      return error;
    int safe = cli_safe_point(&work->thread, &work->mappings, work->purpose, why);
    if (safe == 1)
      return 1;
    error = cli_borrow_release(&work->thread);
    if (safe < 0 || error < 0)
      return safe < 0 ? safe : error;
  }
  return 0;
}

/* Has it ended, though nobody may have asked how? */
static bool has_ended(const struct work *work)
{
  struct pollfd process = {.fd = work->process, .events = POLLIN};
  return poll(&process, 1, 0) == 1;
}

/* Borrows a thread, waiting for a good moment. Returns 0, -ESRCH when the process has ended, or a negative errno after
 * a message. */
static int borrow(struct work *work)
{
  const char *why = "each is in a system call that may hold a lock";
  int found = 0;
  for (int look = 0; found == 0 && look < LOOKS; look++) {
    struct base_vector threads = BASE_VECTOR_OF(struct cli_thread);
    /* Not in step with what the program does periodically. */
    const struct timespec moment = {.tv_nsec = LOOK_NS + look % 7 * 1234567};
    if (look > 0)
      nanosleep(&moment, NULL);
    cli_mappings_free(&work->mappings);
    int error = cli_mappings_read(work->pid, &work->mappings);
    if (error == 0 && (error = cli_thread_list(work->pid, &threads)) == 0)
      found = borrow_any(work, &threads, &why);
    else
      found = error;
    base_vector_free(&threads);
  }
  if (found == 1)
    return 0;
  if (found == -ESRCH || has_ended(work))
    return -ESRCH;
  if (found == 0)
    tell(work, "no thread of it comes to a point where it may be borrowed (of the last one: %s)", why);
  else if (found == -EPERM || found == -EACCES)
    tell(work, "may not be traced (see /proc/sys/kernel/yama/ptrace_scope, and capabilities)");
  else
    tell(work, "cannot be stopped: %s", strerror(-found));
  return found == 0 ? -EBUSY : found;
}

/* An exported function, or 0. */
static uint64_t find_function(const struct work *work, const char *library, const char *name)
{
  uint64_t size;
  const struct cli_memory_mapping *file = cli_mappings_of_file(&work->mappings, library);
  return file != NULL ? cli_symbol_find(work->pid, file->start, name, &size) : 0;
}

/* Finds what the borrowed thread is to do something by. A thread is stopped: what it runs is what it ran when it was
 * looked at, or not. 0 or a negative errno, after a message. */
static int find_code(struct work *work, struct cli_places *places)
{
  const struct cli_memory_mapping *settings = cli_mappings_named(&work->mappings, FMT_ATTACH_MAPPING);
  const bool is_same = !cli_executed_since(work->pid, &work->program);
  int error = is_same ? cli_code_find(work->pid, &work->mappings, places) : -ENOENT;
  if (error < 0)
    tell(work, "its C library is not one that callsig knows");
  else if (work->purpose == CLI_TO_SWITCH &&
           (settings == NULL || (work->code = cli_code_mapped(work->pid, settings)) == 0)) {
    tell(work, "another version of callsig was attached to it: start the program again");
    error = -ENOENT;
  }
  return error;
}

/* Borrows a thread that can be told what to do. As borrow(). */
static int begin(struct work *work)
{
  struct cli_places places;
  cli_borrow_prepare();
  int error = borrow(work);
  if (error < 0)
    return error;
  if ((error = find_code(work, &places)) == 0 &&
      (error = cli_remote_begin(&work->remote, &work->thread, &places, cli_borrow_again(&work->thread))) < 0)
    tell(work, "a thread of it cannot be made to call anything: %s", strerror(-error));
  if (error < 0)
    cli_borrow_release(&work->thread);
  return error;
}

/* Lets the thread go. Returns `error`, or what went wrong now; as borrow(). */
static int end(struct work *work, int error)
{
  int released = cli_borrow_release(&work->thread);
  if (has_ended(work))
    return -ESRCH;
  if (error < 0 || released == 0)
    return error;
  tell(work, "%s", strerror(-released));
  return released;
}

static int call(struct work *work, uint64_t function, uint64_t first, uint64_t second, uint64_t *result)
{
  int error = cli_remote_call(&work->remote, work->code, function, first, second, result);
  if (error == -EDEADLK)
    tell(work, "another thread of it holds a lock and does not give it back");
  else if (error < 0 && error != -ESRCH)
    tell(work, "a call in it did not end: %s", strerror(-error));
  return error;
}

/* Calls a function of the runtime without arguments. */
static int call_runtime(struct work *work, const char *name, uint64_t *result)
{
  uint64_t function = find_function(work, "libcallsig.so", name);
  if (function != 0)
    return call(work, function, 0, 0, result);
  tell(work, "the runtime in it has no %s()", name);
  return -ENOENT;
}

static int system_call(struct work *work, long number, const uint64_t arguments[CLI_CALL_ARGUMENTS], long *result)
{
  int error = cli_remote_system_call(&work->remote, number, arguments, result);
  return error < 0 ? error : *result < 0 ? (int)*result : 0;
}

/* Maps the settings in the process, with the code. Returns 0 and where, or a negative errno. */
static int map_settings(struct work *work, const unsigned char *image, size_t size, uint64_t *address)
{
  uint64_t name;
  long file = -1, mapped = 0, ignored;
  char path[64];
  int error = cli_remote_push(&work->remote, FMT_ATTACH_NAME, sizeof FMT_ATTACH_NAME, &name);
  if (error == 0)
    error = system_call(work, SYS_memfd_create, (uint64_t[CLI_CALL_ARGUMENTS]){name, MFD_CLOEXEC}, &file);
  if (error < 0)
    return error;
  snprintf(path, sizeof path, "/proc/%d/fd/%ld", (int)work->pid, file);
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0 || write(fd, image, size) != (ssize_t)size)
    error = errno != 0 ? -errno : -EIO;
  if (fd >= 0)
    close(fd);
  if (error == 0)
    error = system_call(work, SYS_mmap,
                        (uint64_t[CLI_CALL_ARGUMENTS]){0, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, (uint64_t)file, 0},
                        &mapped);
  int closed = system_call(work, SYS_close, (uint64_t[CLI_CALL_ARGUMENTS]){(uint64_t)file}, &ignored);
  *address = (uint64_t)mapped;
  work->code = cli_code_address(*address + size);
  return error < 0 ? error : closed;
}

static void unmap_settings(struct work *work, uint64_t address, size_t size)
{
  long ignored;
  (void)system_call(work, SYS_munmap, (uint64_t[CLI_CALL_ARGUMENTS]){address, size}, &ignored);
}

/* Says why the loader did not load the runtime. */
static void explain_loader(struct work *work)
{
  char text[512] = "";
  uint64_t function = find_function(work, "libc.so.6", "dlerror"), message = 0;
  if (function != 0 && call(work, function, 0, 0, &message) == 0 && message != 0)
    (void)cli_memory_read_text(work->pid, message, text, sizeof text);
  text[sizeof text - 1] = '\0';
  tell(work, "its dynamic loader cannot load the runtime%s%s", text[0] != '\0' ? ": " : "", text);
}

/* Has the process load the runtime, which begins to record then. Returns 0, or a negative errno after a message. */
static int load_runtime(struct work *work, const char *runtime)
{
  uint64_t function = find_function(work, "libc.so.6", "dlopen"), mode = RTLD_NOW | RTLD_NODELETE, name, handle = 0;
  if (function == 0)
    function = find_function(work, "libdl", "dlopen");
  if (function == 0) {
    function = find_function(work, "libc-2.", "__libc_dlopen_mode");
    mode |= RTLD_DLOPEN;
  }
  if (function == 0) {
    tell(work, "its C library has no dlopen()");
    return -ENOENT;
  }
  int error = cli_remote_push(&work->remote, runtime, strlen(runtime) + 1, &name);
  if (error < 0)
    tell(work, "%s", strerror(-error));
  else if ((error = call(work, function, name, mode, &handle)) == 0 && handle == 0) {
    explain_loader(work);
    error = -ELIBACC;
  }
  return error;
}

/* What lies in the process by now. */
static int read_mappings(struct work *work)
{
  cli_mappings_free(&work->mappings);
  int error = cli_mappings_read(work->pid, &work->mappings);
  if (error < 0)
    tell(work, "%s", strerror(-error));
  return error;
}

/* Asks the runtime where it records. -ENOENT after a message when it does not. */
static int ask_path(struct work *work, char path[PATH_MAX])
{
  uint64_t address = 0;
  int error = call_runtime(work, "callsig_path", &address);
  if (error == 0 && address != 0 && (error = cli_memory_read_text(work->pid, address, path, PATH_MAX)) < 0)
    tell(work, "where it records cannot be read: %s", strerror(-error));
  if (error == 0 && address == 0) {
    tell(work, "the runtime cannot record there; the program's stderr has why");
    error = -ENOENT;
  }
  return error;
}

/* The first time, with a place for the recording. */
static int load_at_place(struct work *work, const struct cli_recording_place *place, struct cli_attached *attached)
{
  struct cli_install_paths paths;
  char *text = NULL;
  unsigned char *image = NULL;
  size_t text_size = 0, size = 0;
  uint64_t settings = 0;
  int error = cli_install_paths_find(&paths);
  if (error == 0)
    error = cli_attach_settings(place, &text, &text_size);
  if (error == 0 && (image = cli_code_image(text, text_size, &size)) == NULL) {
    cli_error("attach: out of memory");
    error = -ENOMEM;
  }
  free(text);
  if (error < 0 || (error = begin(work)) < 0) {
    free(image);
    return error;
  }
  /* Of a command that was killed before it could load anything. */
  const struct cli_memory_mapping *stale = cli_mappings_named(&work->mappings, FMT_ATTACH_MAPPING);
  if (stale != NULL)
    unmap_settings(work, stale->start, stale->end - stale->start);
  if ((error = map_settings(work, image, size, &settings)) < 0)
    tell(work, "what the runtime needs cannot be mapped there: %s", strerror(-error));
  else if ((error = load_runtime(work, paths.runtime)) < 0)
    unmap_settings(work, settings, size);
  if (error == 0 && (error = read_mappings(work)) == 0)
    error = ask_path(work, attached->path);
  free(image);
  return end(work, error);
}

/* Locks the recording, so that another command finds that this one is attached. -EBUSY: one is. */
static int lock_recording(struct cli_attached *attached)
{
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
  attached->recording = open(attached->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (attached->recording < 0)
    return -errno;
  return fcntl(attached->recording, F_OFD_SETLK, &lock) == 0 ? 0 : errno == EAGAIN || errno == EACCES ? -EBUSY : -errno;
}

static int attach_first(struct work *work, const struct cli_profiled_program *program, const char *output,
                        struct cli_attached *attached)
{
  struct cli_recording_place place = {.fd = -1};
  uint32_t writer = 0;
  int error = cli_attach_indexes(&work->mappings, program);
  if (error < 0)
    return error;
  error = cli_recording_place_take(output != NULL ? output : CLI_DEFAULT_RECORDING, &place, &writer);
  if (error == -EBUSY)
    cli_error("attach: %s: process %u still records there; choose another place with -o",
              output != NULL ? output : CLI_DEFAULT_RECORDING, (unsigned)writer);
  if (error == 0)
    error = load_at_place(work, &place, attached);
  if (error == 0 && (error = lock_recording(attached)) < 0)
    cli_error("attach: %s: %s", attached->path, strerror(-error));
  cli_recording_place_leave(&place);
  return error;
}

/* The recording that the process began when it was first attached to. */
static int check_recording(const struct work *work, const char *path, const char *output)
{
  char wanted[PATH_MAX];
  if (cli_mappings_named(&work->mappings, path) == NULL) {
    tell(work, "its recording %s, in which it goes on whenever it is attached to, was removed", path);
    return -ESTALE;
  }
  if (output != NULL && (realpath(output, wanted) == NULL || strcmp(wanted, path) != 0)) {
    tell(work, "goes on in %s, where it began when it was first attached to: leave out -o", path);
    return -EEXIST;
  }
  return 0;
}

static int attach_again(struct work *work, const char *output, struct cli_attached *attached)
{
  uint64_t result = 0;
  attached->again = true;
  work->purpose = CLI_TO_SWITCH;
  int error = begin(work);
  if (error < 0)
    return error;
  /* A forked child that has run no hook yet begins its recording when it is asked where that is. */
  if ((error = ask_path(work, attached->path)) == 0 && (error = read_mappings(work)) == 0)
    error = check_recording(work, attached->path, output);
  if (error == 0 && (error = lock_recording(attached)) < 0)
    tell(work, "%s: %s", attached->path,
         error == -EBUSY ? "another callsig is attached, and records there" : strerror(-error));
  if (error == 0)
    error = call_runtime(work, "callsig_enable", &result);
  return end(work, error);
}

/* A thread that another command borrowed until it was killed may be loading the runtime yet. */
static int wait_for_runtime(struct work *work)
{
  const struct timespec moment = {.tv_nsec = LOOK_NS};
  int error = 0;
  for (int look = 0; error == 0 && look < LOOKS_FOR_RUNTIME; look++) {
    if (cli_mappings_named(&work->mappings, FMT_ATTACH_MAPPING) == NULL ||
        cli_mappings_of_file(&work->mappings, "libcallsig.so") != NULL)
      break;
    nanosleep(&moment, NULL);
    error = read_mappings(work);
  }
  return error;
}

static int attach(struct work *work, const char *output, struct cli_attached *attached)
{
  struct cli_profiled_program program = {0};
  int error = cli_attach_check_process(work->pid);
  if (error == 0 && work->process < 0) {
    tell(work, "the kernel cannot tell when it ends (pidfd_open, Linux 5.3)");
    return -ENOSYS;
  }
  if (error == 0)
    error = read_mappings(work);
  if (error == 0)
    error = cli_attach_check(work->pid, &work->mappings, &program);
  if (error < 0)
    return error;
  if ((error = wait_for_runtime(work)) < 0)
    return error;
  bool has_runtime = cli_mappings_of_file(&work->mappings, "libcallsig.so") != NULL || program.facts.has_runtime;
  if (has_runtime && cli_mappings_named(&work->mappings, FMT_ATTACH_MAPPING) != NULL)
    return attach_again(work, output, attached);
  if (!has_runtime)
    return attach_first(work, &program, output, attached);
  tell(work, "has libcallsig already (by 'callsig run', or linked): it records itself");
  return -EALREADY;
}

static void release(const struct cli_attached *attached)
{
  if (attached->process >= 0)
    close(attached->process);
  if (attached->recording >= 0)
    close(attached->recording);
}

int cli_attach(pid_t pid, const char *output, struct cli_attached *attached)
{
  struct work work = {.pid = pid,
                      .purpose = CLI_TO_LOAD,
                      .process = (int)syscall(SYS_pidfd_open, pid, 0),
                      .program = cli_executed_read(pid)};
  *attached = (struct cli_attached){.pid = pid, .process = work.process, .recording = -1};
  int error = attach(&work, output, attached);
  if (error == -ESRCH && has_ended(&work))
    cli_error("attach: process %d has ended", (int)pid);
  else if (error == -ESRCH)
    tell(&work, "the thread that was borrowed has ended: attach to it again");
  attached->program = work.program;
  cli_mappings_free(&work.mappings);
  if (error < 0)
    release(attached);
  return error;
}

bool cli_attach_has_left(pid_t pid, bool is_off, int recording)
{
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
  struct cli_mappings mappings;
  if (!is_off || fcntl(recording, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK)
    return false;
  const bool was_attached =
      cli_mappings_read(pid, &mappings) == 0 && cli_mappings_named(&mappings, FMT_ATTACH_MAPPING) != NULL;
  cli_mappings_free(&mappings);
  return was_attached;
}

int cli_detach(struct cli_attached *attached)
{
  struct work work = {
      .pid = attached->pid, .purpose = CLI_TO_SWITCH, .process = attached->process, .program = attached->program};
  uint64_t result = 0;
  int error = 0;
  if (cli_executed_since(attached->pid, &attached->program))
    cli_error("process %d executed another program meanwhile, which is not recorded", (int)attached->pid);
  else if (!has_ended(&work) && (error = begin(&work)) == 0)
    error = end(&work, call_runtime(&work, "callsig_disable", &result));
  cli_mappings_free(&work.mappings);
  release(attached);
  return error == -ESRCH ? 0 : error;
}
