/* Whose intervals: what a recording's header says of its process. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "database.h"
#include "message.h"

/* A name of the recording as it may be printed; of the arguments of a command, which a NUL follows each, one behind the
 * other. NULL when memory is short. */
static const char *copy_name(struct cs_recording *recording, uint64_t address, struct cs_arena *strings)
{
  size_t length = 0;
  const char *name = cs_recording_name(recording, address, &length);
  struct cs_text text = {0};
  for (size_t at = 0; name && at < length;) {
    size_t part = strnlen(name + at, length - at);
    if (at > 0)
      cs_text_putc(&text, ' ');
    cs_text_printable(&text, name + at, part);
    at += part + 1;
  }
  const char *copy = text.failed ? NULL : cs_arena_copy(strings, cs_text_string(&text), text.length);
  cs_text_free(&text);
  return copy;
}

int cs_run_read(struct cs_recording *recording, double interval, struct cs_run *run)
{
  const struct cs_rec_header *header = &recording->header;
  *run = (struct cs_run){
      .start_ns = header->start_realtime_ns,
      .pid = header->pid,
      .ppid = header->ppid,
      .clock = header->clock,
      .has_rank = header->rank_source != 0,
      .rank = header->rank,
      .interval = interval,
      .has_exit_status = header->exit_status != -1,
      .exit_status = header->exit_status,
  };
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  char *absolute = realpath(recording->path, NULL);
  const char *path = absolute ? absolute : recording->path;
  run->program = copy_name(recording, header->program, &run->strings);
  run->command = copy_name(recording, header->command, &run->strings);
  run->recording = cs_arena_copy(&run->strings, path, strlen(path));
  run->host = cs_arena_copy(&run->strings, host, strlen(host));
  free(absolute);
  if (run->program && run->command && run->recording && run->host)
    return 0;
  cs_arena_free(&run->strings);
  return cs_stats_no_memory();
}
