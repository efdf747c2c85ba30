/* Removes indexes of a module that were not used for the longest time. */
#include "symbols/index/prune.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <unistd.h>

#include "base/vector.h"
#include "format/cache_key.h"

struct kept_index {
  char name[FMT_CACHE_NAME_SIZE];
  struct timespec used;
};

/* The time of last access is kept by few file systems: it is set here, and that of the last change is left alone. */
void sym_cache_used(const char *file)
{
  const struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};
  (void)utimensat(AT_FDCWD, file, times, AT_SYMLINK_NOFOLLOW);
}

/* How many characters of an index's name are the module's key: all before the rules' hash and the version. */
static size_t key_length(const char *name)
{
  const char *version = strrchr(name, '-');
  size_t length = version ? (size_t)(version - name) : 0;
  while (length > 0 && name[length - 1] != '-')
    length--;
  return length;
}

static bool ends_as_index(const char *name)
{
  const char *end = strrchr(name, '.');
  return end && strcmp(end, ".csi") == 0 && strlen(name) < FMT_CACHE_NAME_SIZE;
}

static bool is_later(const struct timespec *left, const struct timespec *right)
{
  return left->tv_sec != right->tv_sec ? left->tv_sec > right->tv_sec : left->tv_nsec > right->tv_nsec;
}

static int latest_first(const void *left, const void *right)
{
  const struct kept_index *a = left, *b = right;
  return is_later(&b->used, &a->used) - is_later(&a->used, &b->used);
}

/* Lists the module's other indexes. */
static int list(DIR *entries, const char *name, struct base_vector *others)
{
  const size_t key = key_length(name);
  const struct dirent *entry;
  struct stat facts;
  while (key > 0 && (entry = readdir(entries))) {
    if (strncmp(entry->d_name, name, key) != 0 || key_length(entry->d_name) != key ||
        strcmp(entry->d_name, name) == 0 || !ends_as_index(entry->d_name) ||
        fstatat(dirfd(entries), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(facts.st_mode))
      continue;
    struct kept_index *added = base_vector_add(others, 1);
    if (!added)
      return -ENOMEM;
    strcpy(added->name, entry->d_name);
    added->used = is_later(&facts.st_atim, &facts.st_mtim) ? facts.st_atim : facts.st_mtim;
  }
  return 0;
}

int sym_cache_prune(const char *directory, const char *name)
{
  struct base_vector others = BASE_VECTOR_OF(struct kept_index);
  DIR *entries = opendir(directory);
  if (!entries)
    return 0;
  int result = list(entries, name, &others);
  if (result == 0 && others.count >= SYM_CACHE_KEPT) {
    qsort(others.data, others.count, sizeof(struct kept_index), latest_first);
    for (uint32_t i = SYM_CACHE_KEPT - 1; i < others.count; i++)
      (void)unlinkat(dirfd(entries), ((struct kept_index *)base_vector_at(&others, i))->name, 0);
  }
  base_vector_free(&others);
  closedir(entries);
  return result;
}
