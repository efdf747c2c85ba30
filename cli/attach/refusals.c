/* Reads /proc/PID, and refuses what cannot be attached to. */
#include "cli/attach/refusals.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/attach/arch/processor.h"
#include "cli/attach/status_line.h"
#include "cli/common/subcommand.h"

/* What /proc/PID/status says. */
struct status {
  char state;
  uint64_t thread_group, tracer, seccomp;
  uint64_t user[4], group[4]; /* real, effective, saved, of the file system */
  bool shadow_stack;
};

static int read_status(pid_t pid, struct status *status)
{
  char path[64], line[512];
  *status = (struct status){0};
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return -errno;
  while (fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, "State:", strlen("State:")) == 0)
      status->state = line[strcspn(line, "\t") + 1];
    (void)(cli_status_line(line, "Tgid", 10, &status->thread_group, 1) ||
           cli_status_line(line, "TracerPid", 10, &status->tracer, 1) ||
           cli_status_line(line, "Seccomp", 10, &status->seccomp, 1) ||
           cli_status_line(line, "Uid", 10, status->user, 4) || cli_status_line(line, "Gid", 10, status->group, 4));
    if (strncmp(line, "x86_Thread_features:", strlen("x86_Thread_features:")) == 0 && strstr(line, "shstk") != NULL)
      status->shadow_stack = true;
  }
  fclose(file);
  return status->thread_group != 0 ? 0 : -ESRCH;
}

/* The process has one user and one group, which are ours: what the runtime makes is then ours too. */
static int check_user(pid_t pid, const struct status *status)
{
  bool same = true;
  for (int i = 0; i < 4; i++)
    same = same && status->user[i] == geteuid() && status->group[i] == getegid();
  if (same)
    return 0;
  cli_error("attach: process %d has user %" PRIu64 " and group %" PRIu64
            ", and this command user %u and group %u: run callsig as those, "
            "since the program writes the recording",
            (int)pid, status->user[1], status->group[1], (unsigned)geteuid(), (unsigned)getegid());
  return -EPERM;
}

/* Is what lies there for the process what lies there for this command? */
static bool is_shared(pid_t pid, const char *what, const char *ours)
{
  char path[64];
  struct stat here, there;
  snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, what);
  return stat(path, &there) == 0 && stat(ours, &here) == 0 && here.st_ino == there.st_ino &&
         here.st_dev == there.st_dev;
}

static int check_place(pid_t pid)
{
  if (is_shared(pid, "ns/mnt", "/proc/self/ns/mnt") && is_shared(pid, "ns/pid", "/proc/self/ns/pid") &&
      is_shared(pid, "root", "/"))
    return 0;
  cli_error("attach: process %d sees other files or processes than this command (a container or chroot), or may not be "
            "looked at: run callsig in the same place, with the same rights",
            (int)pid);
  return -EXDEV;
}

int cli_attach_check_process(pid_t pid)
{
  struct status status;
  if (!cli_arch_is_known()) {
    cli_error("attach: programs can be attached to on x86-64 alone: start it with 'callsig run'");
    return -ENOTSUP;
  }
  int error = read_status(pid, &status);
  if (error < 0) {
    cli_error("attach: process %d: %s", (int)pid, error == -ENOENT ? "there is none" : strerror(-error));
    return -ENOENT;
  }
  if (status.thread_group != (uint64_t)pid)
    cli_error("attach: %d is a thread of process %" PRIu64 ": name that", (int)pid, status.thread_group);
  else if (pid == getpid())
    cli_error("attach: process %d is this command", (int)pid);
  else if (status.state == 'Z' || status.state == 'X')
    cli_error("attach: process %d has ended, or its first thread has", (int)pid);
  else if (status.state == 'T')
    cli_error("attach: process %d is stopped: let it go on first (kill -CONT %d)", (int)pid, (int)pid);
  else if (status.tracer != 0)
    cli_error("attach: process %d is traced by process %" PRIu64
              " (a debugger, strace or another callsig): end that first",
              (int)pid, status.tracer);
  else if (status.seccomp != 0)
    cli_error("attach: process %d has a seccomp filter, which may end it for the runtime's system calls: start it with "
              "'callsig run'",
              (int)pid);
  else if (status.shadow_stack)
    cli_error("attach: process %d has a shadow stack, which lets no call into it from outside: start it with "
              "'callsig run'",
              (int)pid);
  else if ((error = check_user(pid, &status)) == 0)
    return check_place(pid);
  return error < 0 ? error : -EINVAL;
}

/* Its file, by the name that it has now. */
static int find_image(pid_t pid, struct cli_profiled_program *program)
{
  char link[64];
  snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
  ssize_t length = readlink(link, program->image, sizeof program->image - 1);
  if (length < 0) {
    int error = errno;
    cli_error("attach: process %d: %s", (int)pid,
              error == ENOENT ? "runs no program (a thread of the kernel)" : strerror(error));
    return -error;
  }
  program->image[length] = '\0';
  memcpy(program->path, program->image, sizeof program->path);
  int error = cli_elf_facts_read(link, &program->facts);
  if (error < 0)
    cli_error("attach: %s: its ELF headers cannot be read: %s", program->image, strerror(-error));
  return error;
}

/* Whether one of the files that code is mapped from has sleds. */
static bool has_sleds(const struct cli_mappings *mappings)
{
  for (uint32_t i = 0; i < mappings->list.count; i++) {
    const struct cli_memory_mapping *mapping = base_vector_at(&mappings->list, i);
    struct cli_elf_facts facts;
    if (mapping->executable && cli_mapping_is_file(mapping) && cli_elf_facts_read(mapping->path, &facts) == 0 &&
        facts.has_sleds)
      return true;
  }
  return false;
}

int cli_attach_check(pid_t pid, const struct cli_mappings *mappings, struct cli_profiled_program *program)
{
  int error = find_image(pid, program);
  if (error < 0)
    return error;
  const struct cli_elf_facts *facts = &program->facts;
  const char *image = program->image;
  const char *linker = strrchr(facts->interpreter, '/');
  const struct cli_memory_mapping *library = cli_mappings_of_file(mappings, "libc.so.6");
  if (library == NULL)
    library = cli_mappings_of_file(mappings, "libc-2.");
  if (!facts->native)
    cli_error("attach: %s: is for another architecture (ELF machine %u) than this command", image,
              (unsigned)facts->machine);
  else if (facts->interpreter[0] == '\0')
    cli_error(
        "attach: %s: is statically linked, so that no library can be loaded into it: link it with libcallsig.a, or "
        "dynamically",
        image);
  else if (linker != NULL && strncmp(linker, "/ld-musl-", strlen("/ld-musl-")) == 0)
    cli_error("attach: %s: is linked with musl, and libcallsig needs the GNU C library", image);
  else if (library == NULL)
    cli_error("attach: %s: has no GNU C library (libc.so.6) in process %d", image, (int)pid);
  else if (cli_mapping_is_removed(library))
    cli_error("attach: %s: was replaced since process %d was started: start the program again", library->path,
              (int)pid);
  else if (access(image, F_OK) != 0)
    cli_error("attach: %s: the program was removed or replaced since process %d was started: start it again", image,
              (int)pid);
  else if (!has_sleds(mappings))
    cli_error("attach: %s: neither it nor its libraries have sleds, which can be switched on while it runs: compile it "
              "with callsig-cc (see 'callsig flags')",
              image);
  else
    return 0;
  return -ENOTSUP;
}
