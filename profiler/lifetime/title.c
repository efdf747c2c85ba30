/*
 * The title that a forked child gives itself.
 */
#include "profiler/lifetime/title.h"

#include "profiler/base/proc_files.h"
#include "profiler/base/recording.h"
#include "profiler/base/settings.h"
#include "profiler/base/text.h"

static bool is_noted(const struct fmt_rec_header *header, const char *text, size_t length)
{
  const struct fmt_rec_name *noted = (const struct fmt_rec_name *)header->command;
  return noted && noted->length == length && prof_equal_bytes(noted->text, text, length);
}

void prof_title_note(struct fmt_rec_header *header)
{
  char text[PROF_MAX_PATH];
  size_t length =
      header->flags & FMT_REC_CHILD ? (size_t)prof_small_file_read("/proc/self/cmdline", text, sizeof text) : 0;
  if (length == 0 || is_noted(header, text, length))
    return;
  /* A short title leaves NULs where a longer command line was. */
  while (length > 1 && text[length - 1] == '\0' && text[length - 2] == '\0')
    length--;
  const struct fmt_rec_name *title = text[0] ? prof_record_name(text, length) : NULL;
  if (title)
    __atomic_store_n(&header->command, (uintptr_t)title, __ATOMIC_RELEASE);
}
