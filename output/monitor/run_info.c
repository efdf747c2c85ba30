/* Whose intervals: what a recording's header says of its process. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/monitor/database.h"
#include "output/text/message.h"

/* A name of the recording as it may be printed; of the arguments of a command, which a NUL follows each, one behind the
 * other. NULL when memory is short. */
static const char *copy_name(struct out_recording *recording, uint64_t address, struct base_arena *strings)
{
  size_t length = 0;
  const char *name = out_recording_name(recording, address, &length);
  struct out_text text = {0};
  for (size_t at = 0; name && at < length;) {
    size_t part = strnlen(name + at, length - at);
    if (at > 0)
      out_text_putc(&text, ' ');
    out_text_printable(&text, name + at, part);
    at += part + 1;
  }
  const char *copy = text.failed ? NULL : base_arena_copy(strings, out_text_string(&text), text.length);
  out_text_free(&text);
  return copy;
}

int out_run_read(struct out_recording *recording, double interval, struct out_run *run)
{
  const struct fmt_rec_header *header = &recording->header;
  *run = (struct out_run){
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
  run->recording = base_arena_copy(&run->strings, path, strlen(path));
  run->host = base_arena_copy(&run->strings, host, strlen(host));
  free(absolute);
  if (run->program && run->command && run->recording && run->host)
    return 0;
  base_arena_free(&run->strings);
  return out_stats_no_memory();
}
