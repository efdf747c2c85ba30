/* Finds the ELF file that will run for a program's name, and refuses what cannot be profiled. */
#include "cli/run/profiled_program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cli/common/find_program.h"
#include "cli/common/subcommand.h"
#include "config.h"

/* How many interpreters that are scripts themselves the kernel follows (BINPRM_MAX_RECURSION). */
#define SCRIPT_DEPTH 5

/* Reads the interpreter of a `#!` line into `interpreter`; of `#!/usr/bin/env NAME`, what env will run. Returns 1, 0
 * when the file does not begin with `#!`, or a negative errno. */
static int read_script(const char *path, char interpreter[PATH_MAX])
{
  struct stat status;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return -errno;
  char line[PATH_MAX] = "";
  /* The kernel executes files alone. */
  const bool is_file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  ssize_t length = is_file ? read(fd, line, sizeof line - 1) : 0;
  close(fd);
  if (!is_file)
    return -EACCES;
  if (length < 2 || line[0] != '#' || line[1] != '!')
    return 0;
  line[length] = '\0';
  line[strcspn(line, "\n")] = '\0';
  char *save = NULL;
  const char *first = strtok_r(line + 2, " \t\r", &save);
  if (first == NULL)
    return -ENOEXEC;
  const char *base = strrchr(first, '/');
  const char *word = strtok_r(NULL, " \t\r", &save);
  if (base == NULL || strcmp(base, "/env") != 0 || word == NULL) {
    snprintf(interpreter, PATH_MAX, "%s", first);
    return 1;
  }
  /* env -S splits its argument, and takes assignments before the name. */
  while (word != NULL && (word[0] == '-' || strchr(word, '=') != NULL))
    word = strtok_r(NULL, " \t\r", &save);
  int error = word == NULL ? -ENOENT : cli_find_program(word, interpreter);
  return error < 0 ? error : 1;
}

/* Follows scripts from program->path to program->image. */
static int follow_scripts(struct cli_profiled_program *program)
{
  memcpy(program->image, program->path, sizeof program->image);
  for (int depth = 0; depth < SCRIPT_DEPTH; depth++) {
    char interpreter[PATH_MAX];
    int found = read_script(program->image, interpreter);
    if (found < 0) {
      cli_error("run: %s: cannot tell what runs this script: %s", program->image, strerror(-found));
      return found;
    }
    if (found == 0)
      return 0;
    memcpy(program->image, interpreter, sizeof program->image);
  }
  cli_error("run: %s: its #! lines lead from script to script; name the program that is to be profiled", program->path);
  return -ELOOP;
}

/* The dynamic linker ignores LD_PRELOAD, and the kernel may forbid writing, for a program that gains privileges. */
static int check_privileges(const char *path)
{
  struct stat status;
  struct statvfs filesystem;
  if (stat(path, &status) != 0)
    return -errno;
  if (statvfs(path, &filesystem) == 0 && (filesystem.f_flag & ST_NOSUID))
    return 0;
  char capability[64];
  const char *what = NULL;
  if ((status.st_mode & S_ISUID) && status.st_uid != getuid())
    what = "setuid";
  else if ((status.st_mode & S_ISGID) && status.st_gid != getgid())
    what = "setgid";
  else if (getuid() != 0 && getxattr(path, "security.capability", capability, sizeof capability) > 0)
    what = "a program with file capabilities";
  if (what == NULL)
    return 0;
  cli_error("run: %s: is %s, and so cannot be profiled; profile a copy without those privileges, or run as its owner",
            path, what);
  return -EPERM;
}

static int check_facts(const struct cli_profiled_program *program)
{
  const char *image = program->image;
  const struct cli_elf_facts *facts = &program->facts;
  if (!facts->is_program) {
    cli_error("run: %s: is not a program but an object file or a core dump; link it first", image);
    return -ENOEXEC;
  }
  if (!facts->native) {
    cli_error("run: %s: is for another architecture (ELF machine %u); profile it on that machine", image,
              (unsigned)facts->machine);
    return -ENOEXEC;
  }
  const char *linker = strrchr(facts->interpreter, '/');
  if (linker != NULL && strncmp(linker, "/ld-musl-", strlen("/ld-musl-")) == 0) {
    cli_error("run: %s: is linked with musl, and libcallsig needs the GNU C library; build it with a compiler of that",
              image);
    return -ENOEXEC;
  }
  if (facts->defines_hook && facts->has_symtab && !facts->has_runtime && facts->interpreter[0] != '\0') {
    cli_error("run: %s: defines __cyg_profile_func_enter itself, so callsig is not called; link it without that",
              image);
    return -ENOEXEC;
  }
  if (facts->interpreter[0] != '\0' || facts->has_runtime)
    return 0;
  if (!facts->has_symtab)
    cli_error("run: %s: is statically linked and stripped, so libcallsig cannot be found in it; link it without -s",
              image);
  else if (facts->defines_hook || facts->has_sleds)
    cli_error("run: %s: is statically linked without libcallsig; link it with libcallsig.a (pkg-config --static --libs "
              "callsig), or dynamically",
              image);
  else
    cli_error("run: %s: is statically linked and not instrumented; compile it with callsig-cc (or %s)", image,
              CLI_INSTRUMENT_FLAGS);
  return -ENOEXEC;
}

int cli_profiled_program_find(const char *name, struct cli_profiled_program *program)
{
  int error = cli_find_program(name, program->path);
  if (error == -ENOENT && strchr(name, '/') == NULL)
    cli_error("run: %s: not found in PATH; name the program with its folder (./%s)", name, name);
  else if (error == -EACCES)
    cli_error("run: %s: is not executable; chmod +x it, or name the program that runs it", name);
  else if (error < 0)
    cli_error("run: %s: %s; name a program that exists", name, strerror(-error));
  if (error < 0 || (error = follow_scripts(program)) < 0)
    return error;

  error = cli_elf_facts_read(program->image, &program->facts);
  if (error == -ENOEXEC && strcmp(program->image, program->path) == 0)
    cli_error("run: %s: is neither an ELF program nor a script with a #! line", program->image);
  else if (error == -ENOEXEC)
    cli_error("run: %s: its interpreter %s is not an ELF program", program->path, program->image);
  else if (error < 0)
    cli_error("run: %s: %s", program->image,
              error == -EINVAL ? "is damaged: its ELF headers cannot be read" : strerror(-error));
  if (error < 0 || (error = check_privileges(program->image)) < 0)
    return error;
  return check_facts(program);
}
