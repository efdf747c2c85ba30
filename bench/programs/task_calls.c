/*
 * task_calls KIND ROUNDS: what task_instructions.py counts the instructions of. KIND is `task`, a task's begin and end;
 * `text`, with a signature's text; `nested`, a task in another; `queue`, a put and a get; `counter`,
 * callsig_counter_add(); `level`, callsig_level_set(). The last two where the program is linked with a library that has
 * them.
 */
#include <callsig/callsig.h>
#include <stdlib.h>
#include <string.h>

static struct callsig_stage *stage, *inner;
static struct callsig_queue *queue;

static void run_task(void)
{
  (void)callsig_task_begin(stage, NULL);
  (void)callsig_task_end(stage, 0);
}

static void run_text(void)
{
  const struct callsig_task_options options = {
      .size = sizeof options, .item = 1, .signature = "format=I420, width=640, height=480"};
  (void)callsig_task_begin(stage, &options);
  (void)callsig_task_end(stage, 0);
}

static void run_nested(void)
{
  (void)callsig_task_begin(stage, NULL);
  (void)callsig_task_begin(inner, NULL);
  (void)callsig_task_end(inner, 0);
  (void)callsig_task_end(stage, 0);
}

static void run_queue(void)
{
  callsig_queue_put_end(queue, callsig_queue_put_begin(queue), 1, 0);
  callsig_queue_get_end(queue, callsig_queue_get_begin(queue), 1, 0);
}

#ifdef HAS_COUNTERS
static void run_counter(void)
{
  (void)callsig_counter_add("bytes", 5);
}

static void run_level(void)
{
  (void)callsig_level_set("depth", 5);
}
#endif

static const struct {
  const char *name;
  void (*run)(void);
} kinds[] = {{"task", run_task},       {"text", run_text},  {"nested", run_nested}, {"queue", run_queue},
#ifdef HAS_COUNTERS
             {"counter", run_counter}, {"level", run_level}
#endif
};

int main(int argc, char **argv)
{
  const struct callsig_stage_options outer = {.size = sizeof outer, .index = 1, .name = "outer"};
  const struct callsig_stage_options within = {.size = sizeof within, .index = 2, .name = "inner"};
  const struct callsig_queue_options between = {.size = sizeof between, .index = 1, .name = "outer"};
  if (argc != 3 || callsig_stage_open(&outer, &stage) < 0 || callsig_stage_open(&within, &inner) < 0 ||
      callsig_queue_open(&between, &queue) < 0)
    return 2;
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i].name, argv[1]) == 0) {
      for (long rounds = atol(argv[2]); rounds > 0; rounds--)
        kinds[i].run();
      return 0;
    }
  return 2;
}
