/*
 * A pipeline of real threads by a description. Each argument is a setting or a stage:
 *
 *   items=N source=MS sink=MS capacity=N schedule=WAIT,ACTIVE
 *   blocks=N                  the first stage takes one of so many blocks, which the last one gives back by a queue
 *   slots=N                   likewise, by a semaphore of which nothing is told
 *   alone                     nothing puts into the first stage, which makes the items itself
 *   off=FROM-UNTIL            nothing is recorded from so many milliseconds on until so many; several times
 *   windows=ON/OFF            it is recorded so many milliseconds, and then not for so many, again and again
 *   NAME=MS[,OPTION...]       a stage whose tasks sleep so long. Its options:
 *
 * - threads=N: threads that run it; declared=N: it is opened for so many tasks at a time, whatever its threads are
 * - leave=N/MS: so many of its threads end after so long; late=N/MS: so many of them come after so long
 * - cpu: its tasks compute so long instead
 * - then=MS: in the second half of items; every=N/MS: every Nth item takes so long; first=MS: the first item
 * - fail=N/MS: every Nth task fails after so long
 * - slow=MS: its first thread
 * - lock: it holds the one lock meanwhile; held=MS: and then so long with the lock; retry: it tries for the lock again
 *   and again, asleep in between
 * - rate=MS: and then until its turn, of which one begins each so long
 * - outside=MS: waits before each task
 * - inside: puts within its task; reserve: it begins to put before each task, and ends that behind it
 * - calls: runs the next stage itself, within its task
 * - pool: its threads run the next stage, too: they empty its queue after each task
 * - fan: puts each item into the queues of the next two stages, which are both the last
 * - own: its times leave out tasks inside
 * - text: tasks have a text: whether the item is an Nth one
 * - batch=N: makes one item of so many
 * - space=N: the queue that it puts into has so much
 * - gather=N/MS: a task is of up to N items, as far as they come within so long; the last stage's alone
 *
 * Prints the seconds from the first item to the last, and the items that came through; and how long each stage's
 * threads waited for a processor, as own_waits.h says.
 */
#include <callsig/callsig.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "own_waits.h"
#include "reserving_queue.h"

enum { MOST = 12, MOST_THREADS = 64 };

struct stage {
  char name[32];
  double ms, then, every_ms, first, fail_ms, slow, outside, held, rate, leave_ms, late_ms, gather_ms;
  unsigned threads, every, fail, batch, space, declared, leave, late, gather;
  int cpu, lock, retry, inside, calls, pool, fan, own, text, started, reserve;
  unsigned number;
  double turn; /* milliseconds: when the next one begins */
  struct callsig_stage *handle;
  struct callsig_fifo *input, *output, *second;
  struct reserving_queue *from, *to; /* instead of input and output */
};

static struct stage stages[MOST];
/* A time in which nothing is recorded, in milliseconds since the beginning. */
struct off {
  double from, until;
};

static unsigned count, items = 200, capacity = 8, wait_steps, active_steps, offs, blocks, slots, alone, made;
static struct off off[4];
static double source_ms, sink_ms, on_ms, off_ms, begun;
static int over;
static unsigned long came;
static struct callsig_fifo *free_blocks;
static sem_t free_slots;
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
  else if (!stage->to)
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

static int get(const struct stage *stage, struct callsig_fifo_item *item)
{
  return stage->from ? take(stage->from, &item->item) : callsig_fifo_get(stage->input, item, UINT64_MAX);
}

static double since_begun(void)
{
  return (seconds(CLOCK_MONOTONIC) - begun) * 1000;
}

/* The first stage takes a block or a slot, ... */
static void take_block(const struct stage *stage)
{
  struct callsig_fifo_item block;
  if (stage->number == 0 && slots)
    sem_wait(&free_slots);
  if (stage->number == 0 && blocks)
    callsig_fifo_get(free_blocks, &block, UINT64_MAX);
}

/* ... which the last one gives back. */
static void give_back(unsigned number)
{
  if (number == count - 1 && slots)
    sem_post(&free_slots);
  if (number == count - 1 && blocks)
    callsig_fifo_put(free_blocks, (struct callsig_fifo_item){0}, UINT64_MAX);
}

/* The next item of a stage, the first one's with a block. Whether there is one. */
static int next_item(const struct stage *stage, struct callsig_fifo_item *item)
{
  take_block(stage);
  if (stage->number > 0 || !alone) {
    if (get(stage, item) == 0)
      return 1;
  } else {
    *item = (struct callsig_fifo_item){.item = __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED)};
    if (item->item <= items)
      return 1;
  }
  if (stage->number == 0)
    give_back(count - 1);
  return 0;
}

/* Takes what comes beside a first item, until there is enough or it took too long. */
static void gather(const struct stage *stage)
{
  struct callsig_fifo_item item;
  const double end = seconds(CLOCK_MONOTONIC) + stage->gather_ms / 1000;
  for (unsigned i = 1; i < stage->gather; i++) {
    const double left = end - seconds(CLOCK_MONOTONIC);
    if (callsig_fifo_get(stage->input, &item, left > 0 ? (uint64_t)(left * 1e9) : 0) != 0)
      return;
    __atomic_fetch_add(&came, 1, __ATOMIC_RELAXED);
  }
}

static void *run_stage(void *data)
{
  struct stage *stage = data;
  struct callsig_fifo_item item;
  const struct own_wait first = own_wait_begin();
  const unsigned thread = (unsigned)__atomic_fetch_add(&stage->started, 1, __ATOMIC_RELAXED);
  while (thread >= stage->leave || since_begun() < stage->leave_ms) {
    const uint64_t token = stage->to ? reserve(stage->to) : 0;
    if (!next_item(stage, &item))
      break;
    gather(stage);
    run_task(stage, item, thread);
    give_back(stage->number);
    if (stage->to)
      fill(stage->to, token, item.item);
    while (stage->pool && callsig_fifo_get(stage[1].input, &item, 0) == 0)
      run_task(stage + 1, item, thread);
  }
  own_wait_end(&first, stage->name);
  return NULL;
}

/* A thread that comes late was not seen before. */
static void *__attribute__((no_instrument_function)) start_late(void *data)
{
  const struct stage *stage = data;
  const struct timespec time = {.tv_sec = (time_t)(stage->late_ms / 1000),
                                .tv_nsec = (long)(stage->late_ms * 1e6) % 1000000000L};
  nanosleep(&time, NULL);
  return run_stage(data);
}

/* Records now and then, as it was asked for. */
static void *switch_recording(void *data)
{
  for (unsigned i = 0; i < offs; i++) {
    sleep_for(off[i].from - since_begun());
    callsig_disable();
    sleep_for(off[i].until - since_begun());
    callsig_enable();
  }
  while (on_ms > 0 && !__atomic_load_n(&over, __ATOMIC_RELAXED)) {
    sleep_for(on_ms);
    callsig_disable();
    sleep_for(off_ms);
    callsig_enable();
  }
  return data;
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
         sscanf(option, "space=%u", &stage->space) == 1 || sscanf(option, "declared=%u", &stage->declared) == 1 ||
         sscanf(option, "leave=%u/%lf", &stage->leave, &stage->leave_ms) == 2 ||
         sscanf(option, "late=%u/%lf", &stage->late, &stage->late_ms) == 2 ||
         sscanf(option, "gather=%u/%lf", &stage->gather, &stage->gather_ms) == 2 ||
         (strcmp(option, "reserve") == 0 && (stage->reserve = 1)) || (strcmp(option, "cpu") == 0 && (stage->cpu = 1)) ||
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
  if (offs < sizeof off / sizeof off[0] && sscanf(argument, "off=%lf-%lf", &off[offs].from, &off[offs].until) == 2)
    offs++;
  else if (sscanf(argument, "windows=%lf/%lf", &on_ms, &off_ms) != 2 && sscanf(argument, "items=%u", &items) != 1 &&
           sscanf(argument, "capacity=%u", &capacity) != 1 && sscanf(argument, "source=%lf", &source_ms) != 1 &&
           sscanf(argument, "sink=%lf", &sink_ms) != 1 &&
           sscanf(argument, "schedule=%u,%u", &wait_steps, &active_steps) != 2 &&
           sscanf(argument, "blocks=%u", &blocks) != 1 && sscanf(argument, "slots=%u", &slots) != 1 &&
           !(strcmp(argument, "alone") == 0 && (alone = 1)))
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

static struct reserving_queue *make_slots(unsigned index, const char *name)
{
  const struct callsig_queue_options options = {
      .size = sizeof options, .index = index, .name = name, .capacity = capacity};
  struct reserving_queue *queue = calloc(1, sizeof *queue);
  if (!queue || capacity > 64 || callsig_queue_open(&options, &queue->queue) < 0)
    exit(3);
  queue->capacity = capacity;
  pthread_mutex_init(&queue->mutex, NULL);
  pthread_cond_init(&queue->changed, NULL);
  return queue;
}

/* A queue is behind the stage of its index; those of a fan are named after who gets from them. */
static void connect_stages(void)
{
  stages[0].input = alone ? NULL : make_queue(0, "source");
  for (unsigned i = 0; i < count; i++) {
    struct stage *stage = &stages[i];
    const struct callsig_stage_options options = {.size = sizeof options,
                                                  .index = i + 1,
                                                  .name = stage->name,
                                                  .concurrency = stage->declared ? stage->declared : stage->threads,
                                                  .own_time = stage->own};
    if (callsig_stage_open(&options, &stage->handle) < 0)
      exit(3);
    if (stage->fan) {
      stage->output = stages[i + 1].input = make_queue(i + 1, stages[i + 1].name);
      stage->second = stages[i + 2].input = make_queue(i + 1, stages[i + 2].name);
    } else if (stage->reserve && i + 1 < count)
      stage->to = stages[i + 1].from = make_slots(i + 1, stage->name);
    else if (!stage->calls && i + 1 < count && !stages[i + 1].input)
      stage->output = stages[i + 1].input = make_queue(i + 1, stage->name);
    else if (!stage->calls && sink_ms > 0)
      stage->output = make_queue(i + 1, stage->name);
  }
}

/* What goes round is there before the first stage takes any. */
static void fill_ring(void)
{
  const struct callsig_queue_options options = {
      .size = sizeof options, .index = count, .name = "free", .capacity = blocks};
  sem_init(&free_slots, 0, slots);
  if (blocks && callsig_fifo_open(&options, &free_blocks) < 0)
    exit(3);
  for (unsigned i = 0; i < blocks; i++)
    callsig_fifo_put(free_blocks, (struct callsig_fifo_item){0}, UINT64_MAX);
}

static void feed(void)
{
  const struct callsig_schedule_options schedule = {
      .size = sizeof schedule, .wait = wait_steps, .active = active_steps};
  if (active_steps && callsig_schedule(&schedule) < 0)
    exit(3);
  for (unsigned i = 1; i <= items && !alone; i++) {
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
    if (stages[i].from)
      shut_slots(stages[i].from);
    else if (i == 0 ? !alone : !stages[i - 1].calls)
      callsig_fifo_shut(stages[i].input);
    for (unsigned j = 0; j < stages[i].threads && has_threads(i); j++)
      pthread_join(threads[i][j], NULL);
  }
}

int main(int argc, char **argv)
{
  pthread_t threads[MOST][MOST_THREADS] = {0}, sink = 0, switcher = 0;
  for (int i = 1; i < argc; i++)
    read_argument(argv[i]);
  if (count == 0)
    return 2;
  connect_stages();
  fill_ring();
  begun = seconds(CLOCK_MONOTONIC);
  if (offs > 0 || on_ms > 0)
    pthread_create(&switcher, NULL, switch_recording, NULL);
  for (unsigned i = 0; i < count; i++)
    for (unsigned j = 0; j < stages[i].threads && has_threads(i); j++)
      pthread_create(&threads[i][j], NULL, j < stages[i].late ? start_late : run_stage, &stages[i]);
  struct callsig_fifo *last = stages[count - 1].output;
  if (last)
    pthread_create(&sink, NULL, run_sink, last);
  feed();
  finish(threads);
  if (last) {
    callsig_fifo_shut(last);
    pthread_join(sink, NULL);
  }
  printf("%.4f %lu\n", since_begun() / 1000, came);
  own_waits_print();
  over = 1;
  if (offs > 0 || on_ms > 0)
    pthread_join(switcher, NULL);
  return 0;
}
