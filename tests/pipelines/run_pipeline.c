/*
 * A pipeline of real threads by a description. Each argument is a setting or a stage:
 *
 *   items=N source=MS sink=MS capacity=N schedule=WAIT,ACTIVE
 *   NAME=MS[,OPTION...]   a stage whose tasks sleep so long
 *     threads=N    threads that run it            cpu          they compute so long instead
 *     then=MS      in the second half of items    every=N/MS   every Nth item takes so long
 *     first=MS     the first item                 fail=N/MS    every Nth task fails after so long
 *     slow=MS      its first thread               lock         it holds the one lock meanwhile
 *     held=MS      and then so long with the lock rate=MS      and then until its turn, of which one begins each so
 * long retry        it tries for the lock again and again, asleep in between outside=MS   waits before each task inside
 * puts within its task calls        runs the next stage itself, within its task pool         its threads run the next
 * stage, too: they empty its queue after each task fan          puts each item into the queues of the next two stages,
 * which are both the last own          its times leave out tasks inside text         tasks have a text: whether the
 * item is an Nth one batch=N      makes one item of so many space=N      the queue that it puts into has so much
 *
 * Prints the seconds from the first item to the last, and the items that came through.
 */
#include <callsig/callsig.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 12, MOST_THREADS = 64 };

struct stage {
  char name[32];
  double ms, then, every_ms, first, fail_ms, slow, outside, held, rate;
  unsigned threads, every, fail, batch, space;
  int cpu, lock, retry, inside, calls, pool, fan, own, text, started;
  unsigned number;
  double turn; /* milliseconds: when the next one begins */
  struct callsig_stage *handle;
  struct callsig_fifo *input, *output, *second;
};

static struct stage stages[MOST];
static unsigned count, items = 200, capacity = 8, wait_steps, active_steps;
static double source_ms, sink_ms;
static unsigned long came;
static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER, turns = PTHREAD_MUTEX_INITIALIZER;

static double __attribute__((no_instrument_function)) seconds(clockid_t clock)
{
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void __attribute__((noinline)) sleep_for(double ms)
{
  struct timespec time = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms * 1e6) % 1000000000L};
  if (ms > 0)
    nanosleep(&time, NULL);
}

static void __attribute__((noinline)) compute_for(double ms)
{
  double end = seconds(CLOCK_THREAD_CPUTIME_ID) + ms / 1000;
  while (seconds(CLOCK_THREAD_CPUTIME_ID) < end)
    ;
}

static void __attribute__((noinline)) serve(const struct stage *stage, double ms)
{
  if (stage->cpu)
    compute_for(ms);
  else
    sleep_for(ms);
}

static void __attribute__((noinline)) lock_shared(void)
{
  pthread_mutex_lock(&shared);
}

static void __attribute__((noinline)) try_shared(void)
{
  while (pthread_mutex_trylock(&shared) != 0)
    sleep_for(0.2);
}

/* The next turn of a stage that has one each so long. */
static void __attribute__((noinline)) await_turn(struct stage *stage)
{
  pthread_mutex_lock(&turns);
  const double now = seconds(CLOCK_MONOTONIC) * 1000, begin = stage->turn > now ? stage->turn : now;
  stage->turn = begin + stage->rate;
  pthread_mutex_unlock(&turns);
  sleep_for(begin + stage->rate - now);
}

static double time_of(const struct stage *stage, uint64_t item, unsigned thread)
{
  if (item == 1 && stage->first > 0)
    return stage->first;
  if (stage->fail && item % stage->fail == 0)
    return stage->fail_ms;
  if (stage->every && item % stage->every == 0)
    return stage->every_ms;
  if (stage->slow > 0 && thread == 0)
    return stage->slow;
  return stage->then > 0 && item > items / 2 ? stage->then : stage->ms;
}

static void put(const struct stage *stage, struct callsig_fifo_item item)
{
  if (stage->output)
    callsig_fifo_put(stage->output, item, UINT64_MAX);
  else
    __atomic_fetch_add(&came, 1, __ATOMIC_RELAXED);
  if (stage->second)
    callsig_fifo_put(stage->second, item, UINT64_MAX);
}

static void run_task(struct stage *stage, struct callsig_fifo_item item, unsigned thread)
{
  const struct callsig_task_options options = {.size = sizeof options,
                                               .item = item.item,
                                               .signature = !stage->text               ? NULL
                                                            : item.item % stage->every ? "codec=h264"
                                                                                       : "codec=av1"};
  const int fails = stage->fail && item.item % stage->fail == 0;
  sleep_for(stage->outside);
  callsig_task_begin(stage->handle, &options);
  if (stage->lock)
    lock_shared();
  serve(stage, time_of(stage, item.item, thread));
  if (stage->lock)
    pthread_mutex_unlock(&shared);
  if (stage->held > 0) {
    if (stage->retry)
      try_shared();
    else
      lock_shared();
    serve(stage, stage->held);
    pthread_mutex_unlock(&shared);
  }
  if (stage->rate > 0)
    await_turn(stage);
  if (stage->calls)
    run_task(stage + 1, item, thread);
  if (stage->inside)
    put(stage, item);
  callsig_task_end(stage->handle, fails);
  if (!stage->inside && !stage->calls && !fails && (!stage->batch || item.item % stage->batch == 0))
    put(stage, item);
}

static void *run_stage(void *data)
{
  struct stage *stage = data;
  struct callsig_fifo_item item;
  const unsigned thread = (unsigned)__atomic_fetch_add(&stage->started, 1, __ATOMIC_RELAXED);
  while (callsig_fifo_get(stage->input, &item, UINT64_MAX) == 0) {
    run_task(stage, item, thread);
    while (stage->pool && callsig_fifo_get(stage[1].input, &item, 0) == 0)
      run_task(stage + 1, item, thread);
  }
  return NULL;
}

static void *run_sink(void *data)
{
  struct callsig_fifo_item item;
  while (callsig_fifo_get(data, &item, UINT64_MAX) == 0) {
    sleep_for(sink_ms);
    came++;
  }
  return NULL;
}

static int set_option(struct stage *stage, const char *option)
{
  return sscanf(option, "threads=%u", &stage->threads) == 1 || sscanf(option, "then=%lf", &stage->then) == 1 ||
         sscanf(option, "every=%u/%lf", &stage->every, &stage->every_ms) == 2 ||
         sscanf(option, "first=%lf", &stage->first) == 1 ||
         sscanf(option, "fail=%u/%lf", &stage->fail, &stage->fail_ms) == 2 ||
         sscanf(option, "held=%lf", &stage->held) == 1 || sscanf(option, "rate=%lf", &stage->rate) == 1 ||
         (strcmp(option, "retry") == 0 && (stage->retry = 1)) || sscanf(option, "slow=%lf", &stage->slow) == 1 ||
         sscanf(option, "outside=%lf", &stage->outside) == 1 || sscanf(option, "batch=%u", &stage->batch) == 1 ||
         sscanf(option, "space=%u", &stage->space) == 1 || (strcmp(option, "cpu") == 0 && (stage->cpu = 1)) ||
         (strcmp(option, "lock") == 0 && (stage->lock = 1)) || (strcmp(option, "inside") == 0 && (stage->inside = 1)) ||
         (strcmp(option, "calls") == 0 && (stage->calls = 1)) || (strcmp(option, "pool") == 0 && (stage->pool = 1)) ||
         (strcmp(option, "fan") == 0 && (stage->fan = 1)) || (strcmp(option, "own") == 0 && (stage->own = 1)) ||
         (strcmp(option, "text") == 0 && (stage->text = 1));
}

static void read_stage(char *argument)
{
  struct stage *stage = &stages[count];
  char *rest, *part = strtok_r(argument, ",", &rest);
  if (count == MOST || sscanf(part, "%31[^=]=%lf", stage->name, &stage->ms) != 2)
    exit(2);
  stage->threads = 1;
  stage->number = count++;
  while ((part = strtok_r(NULL, ",", &rest)))
    if (!set_option(stage, part))
      exit(2);
}

static void read_argument(char *argument)
{
  if (sscanf(argument, "items=%u", &items) != 1 && sscanf(argument, "capacity=%u", &capacity) != 1 &&
      sscanf(argument, "source=%lf", &source_ms) != 1 && sscanf(argument, "sink=%lf", &sink_ms) != 1 &&
      sscanf(argument, "schedule=%u,%u", &wait_steps, &active_steps) != 2)
    read_stage(argument);
}

static struct callsig_fifo *make_queue(unsigned index, const char *name)
{
  const unsigned space = index > 0 ? stages[index - 1].space : 0;
  const struct callsig_queue_options options = {
      .size = sizeof options, .index = index, .name = name, .capacity = space ? space : capacity};
  struct callsig_fifo *queue;
  if (callsig_fifo_open(&options, &queue) < 0)
    exit(3);
  return queue;
}

/* A queue is behind the stage of its index; those of a fan are named after who gets from them. */
static void connect_stages(void)
{
  stages[0].input = make_queue(0, "source");
  for (unsigned i = 0; i < count; i++) {
    struct stage *stage = &stages[i];
    const struct callsig_stage_options options = {.size = sizeof options,
                                                  .index = i + 1,
                                                  .name = stage->name,
                                                  .concurrency = stage->threads,
                                                  .own_time = stage->own};
    if (callsig_stage_open(&options, &stage->handle) < 0)
      exit(3);
    if (stage->fan) {
      stage->output = stages[i + 1].input = make_queue(i + 1, stages[i + 1].name);
      stage->second = stages[i + 2].input = make_queue(i + 1, stages[i + 2].name);
    } else if (!stage->calls && i + 1 < count && !stages[i + 1].input)
      stage->output = stages[i + 1].input = make_queue(i + 1, stage->name);
    else if (!stage->calls && sink_ms > 0)
      stage->output = make_queue(i + 1, stage->name);
  }
}

static void feed(void)
{
  const struct callsig_schedule_options schedule = {
      .size = sizeof schedule, .wait = wait_steps, .active = active_steps};
  if (active_steps && callsig_schedule(&schedule) < 0)
    exit(3);
  for (unsigned i = 1; i <= items; i++) {
    sleep_for(source_ms);
    callsig_fifo_put(stages[0].input, (struct callsig_fifo_item){.item = i}, UINT64_MAX);
    if (active_steps && i % 10 == 0)
      callsig_step();
  }
}

static int has_threads(unsigned stage)
{
  return stage == 0 || !(stages[stage - 1].calls || stages[stage - 1].pool);
}

static void finish(pthread_t threads[MOST][MOST_THREADS])
{
  for (unsigned i = 0; i < count; i++) {
    if (i == 0 || !stages[i - 1].calls)
      callsig_fifo_shut(stages[i].input);
    for (unsigned j = 0; j < stages[i].threads && has_threads(i); j++)
      pthread_join(threads[i][j], NULL);
  }
}

int main(int argc, char **argv)
{
  pthread_t threads[MOST][MOST_THREADS] = {0}, sink;
  for (int i = 1; i < argc; i++)
    read_argument(argv[i]);
  if (count == 0)
    return 2;
  connect_stages();
  const double start = seconds(CLOCK_MONOTONIC);
  for (unsigned i = 0; i < count; i++)
    for (unsigned j = 0; j < stages[i].threads && has_threads(i); j++)
      pthread_create(&threads[i][j], NULL, run_stage, &stages[i]);
  struct callsig_fifo *last = stages[count - 1].output;
  if (last)
    pthread_create(&sink, NULL, run_sink, last);
  feed();
  finish(threads);
  if (last) {
    callsig_fifo_shut(last);
    pthread_join(sink, NULL);
  }
  printf("%.4f %lu\n", seconds(CLOCK_MONOTONIC) - start, came);
  return 0;
}
