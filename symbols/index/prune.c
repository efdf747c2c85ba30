/* Removes indexes that were not used for the longest time. */
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

#define DIGITS     "0123456789"
#define HEX_DIGITS DIGITS "abcdef"
#define RANDOM     7u /* a dot and six letters behind the name that a writer's file will get */

struct kept_index {
  char name[FMT_CACHE_NAME_SIZE];
  struct timespec used;
  uint64_t bytes;
  bool is_of_module; /* that whose index was made */
};

/* What may be removed. */
struct listing {
  int folder;
  time_t spared; /* what was used since then stays */
  const char *name;
  size_t key;                 /* how many characters of the name are the module's */
  struct base_vector indexes; /* of struct kept_index */
  uint64_t bytes;             /* of all indexes, those that stay among them */
};

/* The time of last access is kept by few file systems: it is set here, and that of the last change is left alone. */
void sym_cache_used(const char *file)
{
  const struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};
  (void)utimensat(AT_FDCWD, file, times, AT_SYMLINK_NOFOLLOW);
}

/* How many characters of an index's name are the module's key: all before the rules' hash and the version. 0: it is no
 * name of an index. What stands behind one is told by `*end`. */
static size_t key_length(const char *name, const char **end)
{
  const char *version = strstr(name, "-v");
  if (!version || version - name < 18 || strlen(name) >= FMT_CACHE_NAME_SIZE + RANDOM)
    return 0;
  const char *hash = version - 16, *key = strncmp(name, "file-", 5) == 0 ? name + 5 : name;
  const size_t digits = strspn(version + 2, DIGITS);
  if (hash <= key || hash[-1] != '-' || strspn(hash, HEX_DIGITS) != 16 || key + strspn(key, HEX_DIGITS) != hash - 1 ||
      digits == 0 || strncmp(version + 2 + digits, ".csi", 4) != 0)
    return 0;
  *end = version + 2 + digits + 4;
  return (size_t)(hash - name);
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

static struct timespec last_use(const struct stat *facts)
{
  return is_later(&facts->st_atim, &facts->st_mtim) ? facts->st_atim : facts->st_mtim;
}

static int list_file(struct listing *listing, const char *name)
{
  const char *end;
  const size_t key = key_length(name, &end);
  struct stat facts;
  if (key == 0 || fstatat(listing->folder, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(facts.st_mode))
    return 0;
  const bool is_recent = last_use(&facts).tv_sec >= listing->spared;
  if (*end != '\0') {
    if (end[0] == '.' && strlen(end) == RANDOM && !is_recent)
      (void)unlinkat(listing->folder, name, 0);
    return 0;
  }
  listing->bytes += (uint64_t)facts.st_size;
  if (strcmp(name, listing->name) == 0)
    return 0;
  struct kept_index *added = base_vector_add(&listing->indexes, 1);
  if (!added)
    return -ENOMEM;
  strcpy(added->name, name);
  added->used = last_use(&facts);
  added->bytes = (uint64_t)facts.st_size;
  added->is_of_module = key == listing->key && strncmp(name, listing->name, key) == 0;
  return 0;
}

/* Removes the index, if nobody has used it since it was listed. */
static void remove_index(struct listing *listing, struct kept_index *index)
{
  struct stat facts;
  if (fstatat(listing->folder, index->name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
      last_use(&facts).tv_sec < listing->spared && unlinkat(listing->folder, index->name, 0) == 0) {
    listing->bytes -= index->bytes;
    index->bytes = 0;
  }
}

static void remove_indexes(struct listing *listing, uint64_t bytes)
{
  struct base_vector *indexes = &listing->indexes;
  uint32_t of_module = 1;
  if (indexes->count == 0)
    return;
  qsort(indexes->data, indexes->count, sizeof(struct kept_index), latest_first);
  for (uint32_t i = 0; i < indexes->count; i++) {
    struct kept_index *index = base_vector_at(indexes, i);
    if (index->is_of_module && ++of_module > SYM_CACHE_KEPT)
      remove_index(listing, index);
  }
  for (uint32_t i = indexes->count; i > 0 && listing->bytes > bytes; i--)
    remove_index(listing, base_vector_at(indexes, i - 1));
}

int sym_cache_prune(const char *directory, const char *name, uint64_t bytes, time_t now)
{
  const char *end;
  struct listing listing = {.spared = now - SYM_CACHE_SPARED,
                            .name = name,
                            .key = key_length(name, &end),
                            .indexes = BASE_VECTOR_OF(struct kept_index)};
  DIR *entries = opendir(directory);
  if (!entries)
    return 0;
  listing.folder = dirfd(entries);
  int result = 0;
  for (const struct dirent *entry; result == 0 && (entry = readdir(entries));)
    result = list_file(&listing, entry->d_name);
  if (result == 0)
    remove_indexes(&listing, bytes);
  base_vector_free(&listing.indexes);
  closedir(entries);
  return result;
}
