/* Follows a recording being switched on and off. */
#include "cli/beside/recorded.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "format/recording.h"

struct change {
  uint64_t time;
  enum cli_recorded_state state; /* from then on */
};

void cli_recorded_init(struct cli_recorded *recorded, int file)
{
  *recorded = (struct cli_recorded){.file = file, .coming = BASE_VECTOR_OF(struct change)};
}

void cli_recorded_free(struct cli_recorded *recorded)
{
  base_vector_free(&recorded->coming);
}

static int add(struct cli_recorded *recorded, uint64_t time, enum cli_recorded_state state)
{
  struct change *added = base_vector_add(&recorded->coming, 1);
  if (added == NULL)
    return -ENOMEM;
  *added = (struct change){.time = time, .state = state};
  return 0;
}

int cli_recorded_look(struct cli_recorded *recorded, uint64_t now, uint64_t realtime)
{
  struct fmt_rec_header header;
  if (recorded->file < 0 || pread(recorded->file, &header, sizeof header, 0) != (ssize_t)sizeof header)
    return 0;
  const uint64_t before = recorded->looked, ago = realtime > header.switched_ns ? realtime - header.switched_ns : 0;
  const bool is_off = header.is_off != 0, is_new = header.switched_ns != recorded->switched_ns;
  uint64_t at = is_new && ago < now ? now - ago : 0;
  at = at < before ? before : at;
  int error = 0;
  /* Steps of a schedule that warm up are not recorded, and the header does not tell them. */
  if (header.flags & FMT_REC_SCHEDULE || (is_new && is_off == recorded->is_off)) {
    error = add(recorded, before, CLI_NOT_KNOWN);
    at = header.flags & FMT_REC_SCHEDULE ? now : at;
  }
  if (error == 0 && (is_new || is_off != recorded->is_off || header.flags & FMT_REC_SCHEDULE)) {
    error = add(recorded, at, is_off ? CLI_NOT_RECORDED : CLI_RECORDED);
    recorded->was_switched = true;
  }
  recorded->looked = now;
  recorded->switched_ns = header.switched_ns;
  recorded->is_off = is_off;
  return error;
}

/* The program did the same up to `time`. */
static void pass(struct cli_recorded *recorded, uint64_t time)
{
  if (time > recorded->until) {
    recorded->ns += recorded->state == CLI_RECORDED ? time - recorded->until : 0;
    recorded->until = time;
  }
}

enum cli_recorded_state cli_recorded_at(struct cli_recorded *recorded, uint64_t time)
{
  struct change *changes = recorded->coming.data;
  uint32_t passed = 0;
  for (; passed < recorded->coming.count && changes[passed].time <= time; passed++) {
    pass(recorded, changes[passed].time);
    recorded->state = changes[passed].state;
  }
  if (passed > 0) {
    recorded->coming.count -= passed;
    memmove(changes, changes + passed, recorded->coming.count * sizeof *changes);
  }
  pass(recorded, time);
  return recorded->state;
}
