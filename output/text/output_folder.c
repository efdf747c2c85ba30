/* Writes a folder under another name, and renames it when it is whole. */
#define _GNU_SOURCE
#include "output/text/output_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/text/message.h"

static int fail(const char *path, int error)
{
  if (error == -EEXIST || error == -ENOTEMPTY)
    return out_stats_fail(-EEXIST, "%s: is there already; name a folder that is not", path);
  return out_stats_fail(error, "%s: %s; name a folder that can be made", path, strerror(-error));
}

int out_output_folder_open(struct out_output_folder *folder, const char *path)
{
  *folder = (struct out_output_folder){.path = path};
  struct stat there;
  size_t length = strlen(path);
  if (lstat(path, &there) == 0)
    return fail(path, -EEXIST);
  while (length > 1 && path[length - 1] == '/')
    length--;
  const char *slash = memrchr(path, '/', length);
  size_t before = slash ? (size_t)(slash - path) + 1 : 0, size = length + sizeof "..XXXXXX";
  folder->temporary = malloc(size);
  if (!folder->temporary)
    return out_stats_no_memory();
  snprintf(folder->temporary, size, "%.*s.%.*s.XXXXXX", (int)before, path, (int)(length - before), path + before);
  if (mkdtemp(folder->temporary))
    return 0;
  int result = fail(path, -errno);
  free(folder->temporary);
  folder->temporary = NULL;
  return result;
}

/* Makes all in the folder its owner's alone, or removes it. Links are not followed, and nothing but what is in it is
 * touched. 0 or a negative errno. */
static int walk(const char *path, bool removes)
{
  char *const roots[] = {(char *)(uintptr_t)path, NULL};
  FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
  int result = tree ? 0 : -errno;
  for (FTSENT *entry; tree && (errno = 0, entry = fts_read(tree)) != NULL;) {
    int done = 0;
    if (removes && entry->fts_info == FTS_DP)
      done = rmdir(entry->fts_accpath);
    else if (removes && entry->fts_info != FTS_D)
      done = unlink(entry->fts_accpath);
    else if (!removes && (entry->fts_info == FTS_D || entry->fts_info == FTS_F))
      done = chmod(entry->fts_accpath, entry->fts_info == FTS_D ? 0700 : 0600);
    if (done != 0 && result == 0)
      result = -errno;
  }
  if (tree && errno && result == 0)
    result = -errno;
  if (tree)
    fts_close(tree);
  return result;
}

int out_output_folder_close(struct out_output_folder *folder, int result)
{
  int ended = result < 0 ? 0 : walk(folder->temporary, false);
  if (result == 0 && ended == 0 &&
      renameat2(AT_FDCWD, folder->temporary, AT_FDCWD, folder->path, RENAME_NOREPLACE) != 0)
    ended = -errno;
  if (result < 0 || ended < 0)
    (void)walk(folder->temporary, true);
  free(folder->temporary);
  folder->temporary = NULL;
  return ended < 0 ? fail(folder->path, ended) : result;
}
