/*
 * Makes a recording of a sequence of calls and prints it by callsig/stats.h: one half of the comparison with CPython.
 *
 *   print_calls SEQUENCE RECORDING [by function|signature] [sort KEYS] [reverse] [strip]
 *               stats|callers|callees|json [RESTRICTION...]
 *   print_calls SEQUENCE RECORDING [by function|signature] [strip] export FORMAT
 *
 * A line of SEQUENCE is "hz N", "f ID FILE LINE NAME" (in the order of ids), "e ID ARGUMENT NOW" (a call), "a NAME NOW"
 * (an action), "s LABEL" (a stage, numbered from 0), "t STAGE NOW" (a task), "x NOW", or "T TID NAME", a thread that
 * the lines below are of. In names "%xx" is a byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "callsig/stats.h"
#include "tests/support/index_writer.h"
#include "tests/support/pipeline_writer.h"
#include "tests/support/recording_writer.h"

struct replay {
  struct index_writer *index;
  struct recording_writer *recording;
  struct recording_thread *thread;
  uint64_t module, now;
  uint64_t stages[8];
  uint32_t stage_count;
  uint32_t type;
};

static void decode(char *name)
{
  char *out = name;
  for (unsigned byte; *name; name++) {
    if (*name == '%' && sscanf(name + 1, "%2x", &byte) == 1) {
      *out++ = (char)byte;
      name += 2;
    } else {
      *out++ = *name;
    }
  }
  *out = '\0';
}

static void add_function(struct replay *replay, const char *file, uint32_t line, const char *name)
{
  index_writer_function(replay->index, file, line, name, 0);
  index_writer_arg(replay->index, FMT_ARG_VALUE, "n", replay->type);
}

/* All functions come before the first call: the index is complete then. */
static void begin_calls(struct replay *replay)
{
  if (replay->module)
    return;
  size_t size;
  void *index = index_writer_finish(replay->index, &size);
  replay->module = recording_writer_module(replay->recording, "/bin/test", 0x1000, 0x100000, index, size);
  free(index);
  replay->thread = recording_writer_thread(replay->recording, 1, "main");
}

static int replay_line(struct replay *replay, const char *line)
{
  char file[256], name[256];
  unsigned number;
  long long value;
  unsigned long long now;
  if (sscanf(line, "hz %llu", &now) == 1) {
    recording_writer_header(replay->recording)->injected_hz = now;
  } else if (sscanf(line, "f %*u %255s %u %255s", file, &number, name) == 3) {
    decode(file);
    decode(name);
    add_function(replay, file, number, name);
  } else if (sscanf(line, "e %u %lld %llu", &number, &value, &now) == 3) {
    begin_calls(replay);
    uint64_t words[2] = {0, (uint64_t)value};
    recording_enter(replay->thread, replay->module, number, words, 2, now);
  } else if (sscanf(line, "a %255s %llu", name, &now) == 2) {
    begin_calls(replay);
    recording_enter_action(replay->thread, name, now);
  } else if (sscanf(line, "s %255s", name) == 1 && replay->stage_count < 8) {
    replay->stages[replay->stage_count] = pipeline_writer_stage(replay->recording, 0, replay->stage_count, name, 1, 0);
    replay->stage_count++;
  } else if (sscanf(line, "t %u %llu", &number, &now) == 2 && number < replay->stage_count) {
    begin_calls(replay);
    recording_enter_task(replay->thread, replay->stages[number], NULL, now);
  } else if (sscanf(line, "T %u %255s", &number, name) == 2) {
    begin_calls(replay);
    replay->thread = recording_writer_thread(replay->recording, number, name);
  } else if (sscanf(line, "x %llu", &now) == 1) {
    recording_exit(replay->thread, now);
  } else {
    return -1;
  }
  if (strchr("aetx", line[0]))
    replay->now = now;
  return 0;
}

static int record(const char *sequence, const char *path)
{
  struct replay replay = {.index = index_writer_new(), .recording = recording_writer_new(1, 1000)};
  replay.type = index_writer_type(replay.index, FMT_TYPE_SIGNED, "int", 4, FMT_NONE);
  FILE *file = fopen(sequence, "r");
  char line[1024];
  int result = file ? 0 : -1;
  while (result == 0 && fgets(line, sizeof line, file))
    result = replay_line(&replay, line);
  if (file)
    fclose(file);
  if (result == 0)
    recording_writer_save(replay.recording, replay.now, path);
  recording_writer_free(replay.recording);
  index_writer_free(replay.index);
  return result;
}

static int print(struct callsig_stats *stats, char **argv)
{
  for (; *argv; argv++) {
    size_t rest = 0;
    while (argv[rest + 1])
      rest++;
    const char *const *restrictions = (const char *const *)argv + 1;
    int result = 0;
    if (strcmp(*argv, "by") == 0 && rest > 0)
      result =
          callsig_stats_group(stats, strcmp(*++argv, "function") == 0 ? CALLSIG_BY_FUNCTION : CALLSIG_BY_SIGNATURE);
    else if (strcmp(*argv, "sort") == 0 && rest > 0)
      result = callsig_stats_sort(stats, *++argv);
    else if (strcmp(*argv, "reverse") == 0)
      result = callsig_stats_reverse(stats);
    else if (strcmp(*argv, "strip") == 0)
      result = callsig_stats_strip_dirs(stats);
    else if (strcmp(*argv, "stats") == 0)
      return callsig_stats_print(stats, stdout, restrictions, rest);
    else if (strcmp(*argv, "callers") == 0)
      return callsig_stats_print_callers(stats, stdout, restrictions, rest);
    else if (strcmp(*argv, "callees") == 0)
      return callsig_stats_print_callees(stats, stdout, restrictions, rest);
    else if (strcmp(*argv, "json") == 0)
      return callsig_stats_print_json(stats, stdout, restrictions, rest);
    else if (strcmp(*argv, "export") == 0)
      return callsig_stats_export(
          stats, &(struct callsig_stats_export){.size = sizeof(struct callsig_stats_export), .format = argv[1]},
          stdout);
    else
      return -1;
    if (result < 0)
      return result;
  }
  return -1;
}

int main(int argc, char **argv)
{
  struct callsig_stats *stats;
  if (argc < 4 || record(argv[1], argv[2]) < 0 || callsig_stats_load(argv[2], &stats) < 0)
    return 2;
  int result = print(stats, argv + 3);
  callsig_stats_free(stats);
  return result < 0 ? 1 : 0;
}
