/* Knows recordings that a recording of their whole run was made of. */
#include "output/recording/taken_files.h"

#include <errno.h>
#include <string.h>

static int note(struct base_vector *list, const struct fmt_rec_taken *file)
{
  struct fmt_rec_taken *added = base_vector_add(list, 1);
  if (!added)
    return -ENOMEM;
  *added = *file;
  return 0;
}

/* What a recording is known by; false of one that is of no run. */
static bool file_of(const struct fmt_rec_header *header, struct fmt_rec_taken *file)
{
  *file =
      (struct fmt_rec_taken){.run = header->run, .start_realtime_ns = header->start_realtime_ns, .pid = header->pid};
  return header->run != 0;
}

void out_taken_files_init(struct out_taken_files *files)
{
  files->read = files->taken = (struct base_vector)BASE_VECTOR_OF(struct fmt_rec_taken);
}

void out_taken_files_free(struct out_taken_files *files)
{
  base_vector_free(&files->read);
  base_vector_free(&files->taken);
}

int out_taken_files_add(struct out_taken_files *files, struct out_recording *recording)
{
  const struct fmt_rec_header *header = &recording->header;
  const uint32_t family = FMT_REC_MERGED | FMT_REC_FAMILY;
  struct fmt_rec_taken file;
  size_t length = 0;
  int result = file_of(header, &file) ? note(&files->read, &file) : 0;
  const char *list = result == 0 && (header->flags & family) == family
                         ? out_recording_name(recording, header->command, &length)
                         : NULL;
  for (size_t at = 0; list && result == 0 && length - at >= sizeof file; at += sizeof file) {
    memcpy(&file, list + at, sizeof file);
    result = note(&files->taken, &file);
  }
  return result;
}

bool out_taken_files_has(const struct out_taken_files *files, const struct fmt_rec_header *header)
{
  struct fmt_rec_taken file;
  if (!file_of(header, &file))
    return false;
  for (uint32_t i = 0; i < files->taken.count; i++)
    if (memcmp(base_vector_at(&files->taken, i), &file, sizeof file) == 0)
      return true;
  return false;
}
