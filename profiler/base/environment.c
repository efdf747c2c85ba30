/*
 * The process's environment, which is there before the C library is.
 *
 * The dynamic loader calls the program before it has set up the C library: resolvers of indirect functions, and a
 * malloc() of the program's own. `environ` is NULL then, while the kernel has had the environment from the beginning.
 */
#include "profiler/base/environment.h"

#include <sys/auxv.h>
#include <sys/mman.h>

#include "profiler/base/attached.h"
#include "profiler/base/syscall.h"
#include "profiler/base/text.h"

#define FIRST_SIZE ((size_t)64 << 10) /* of the kernel's copy; it is read again into more where it is longer */

extern char **environ;

/* The kernel's copy, read once; atomic. */
static char *const *from_kernel;

bool prof_is_privileged(void)
{
  return getauxval(AT_SECURE) != 0;
}

/* Reads all of /proc/self/environ to the start of `target`. The bytes read, `size` when there may be more, or a
 * negative errno. */
static long read_all(char *target, size_t size)
{
  long fd = prof_sys_open("/proc/self/environ", O_RDONLY | O_CLOEXEC, 0), got = fd;
  size_t used = 0;
  while (fd >= 0 && used < size && (got = prof_sys_read(fd, target + used, size - used)) > 0)
    used += (size_t)got;
  if (fd >= 0)
    prof_sys_close(fd);
  return got < 0 ? got : (long)used;
}

/* Begins with the entries of a text of `length` bytes that lies behind room for them. */
static char *const *list_entries(char **entries, char *text, size_t length)
{
  size_t count = 0;
  for (char *next = text; next < text + length; next += prof_length(next) + 1)
    entries[count++] = next;
  entries[count] = NULL;
  return entries;
}

/* NULL, with *error a negative errno, where it cannot be read. */
static char *const *read_kernels(long *error)
{
  for (size_t size = FIRST_SIZE;; size *= 2) {
    const size_t room = (size + 1) * sizeof(char *); /* an entry may be no more than its NUL byte */
    long mapped = prof_sys_mmap(0, room + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *error = mapped;
    if (prof_sys_failed(mapped))
      return NULL;
    char *text = (char *)mapped + room;
    long length = read_all(text, size - 1);
    if (length >= 0 && length < (long)size - 1)
      return list_entries((char **)mapped, text, (size_t)length);
    prof_sys_munmap((void *)mapped, room + size);
    *error = length;
    if (length < 0)
      return NULL;
  }
}

/* NULL, with *error a negative errno, where it cannot be read. */
static char *const *find_entries(long *error)
{
  if (environ)
    return environ;
  char *const *entries = __atomic_load_n(&from_kernel, __ATOMIC_ACQUIRE);
  if (!entries) {
    entries = read_kernels(error);
    __atomic_store_n(&from_kernel, entries, __ATOMIC_RELEASE);
  }
  return entries;
}

char *const *prof_environment_entries(void)
{
  static char *const nothing[1];
  long error;
  char *const *entries = find_entries(&error);
  return entries ? entries : nothing;
}

long prof_environment_find(void)
{
  long error = 0;
  return prof_attached_settings() || find_entries(&error) ? 0 : error;
}

/* The value behind "NAME=" where the entry is that variable's, or NULL. */
static const char *value_in(const char *entry, const char *name)
{
  size_t length = prof_length(name);
  return prof_equal_bytes(entry, name, length) && entry[length] == '=' ? entry + length + 1 : NULL;
}

const char *prof_environment(const char *name)
{
  const char *value = NULL;
  if (prof_is_privileged())
    return NULL;
  const char *attached = prof_attached_settings();
  if (attached) {
    for (; *attached && !value; attached += prof_length(attached) + 1)
      value = value_in(attached, name);
    return value;
  }
  for (char *const *entry = prof_environment_entries(); *entry && !value; entry++)
    value = value_in(*entry, name);
  return value;
}
