/*
 * Pipelines whose tasks wait for what is not told: `waiting_shapes SHAPE THREADS`. The stage "work" has the threads,
 * behind a queue of items that are there as fast as they are taken.
 *
 * - condition: "make" hands items on in 6 ms each by a condition variable of its own, for which work waits inside of
 * its tasks
 * - batches: work gathers up to 8 items within 20 ms, and takes 30 ms for them; they come each 1 ms
 * - bucket: work takes a token inside of its tasks, of 150 a second and 20 that were saved, and then 2 ms
 * - bucket_outside: likewise, before its tasks
 * - disk: work writes 64 KiB and makes sure that they are on the disk, each thread to a file of its own
 * - device: a device does two tasks at a time, in 8 ms each; work waits for it
 * - connections: likewise three connections to a server, which answers in 9 ms, after 1 ms in which work computes
 * - barrier: all threads begin the next task together; the first one takes 12 ms, the others 5
 * - reorder: work takes 4 to 16 ms; "write" has to write in order, and waits for the next one inside of its tasks
 * - readers: work reads for 4 ms while nobody writes, and "update" writes for 10 ms of each 20
 * - loading: what has the same key, of ten, as an item that is being loaded (12 ms) waits for that
 * - retries: a third of the calls fail at once, and are made again after 2, 4 and 8 ms
 * - camera: a frame comes each 10 ms, whoever waits for it, inside of tasks
 */
#include <fcntl.h>
#include <semaphore.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "shape_parts.h"

static struct callsig_stage *work, *other;
static struct callsig_fifo *items, *done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned waiting;
static int is_over;

/* Starts the threads of "work", feeds them and waits for them. */
static void feed(unsigned threads, unsigned count, double ms, void *(*run)(void *data))
{
  work = open_stage(1, "work", threads);
  items = open_queue(0, "items", 16);
  const struct team workers = start_team(threads, run);
  for (unsigned i = 1; i <= count; i++) {
    sleep_ms(ms);
    put_item(items, i);
  }
  callsig_fifo_shut(items);
  join_team(&workers);
}

static void *make_items(void *data)
{
  for (unsigned i = 0; i < 250; i++) {
    do_task(other, 6);
    pthread_mutex_lock(&lock);
    while (waiting == 8)
      pthread_cond_wait(&changed, &lock);
    waiting++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
  }
  pthread_mutex_lock(&lock);
  is_over = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return data;
}

static int await_item(void)
{
  pthread_mutex_lock(&lock);
  while (waiting == 0 && !is_over)
    pthread_cond_wait(&changed, &lock);
  const int has = waiting > 0;
  waiting -= (unsigned)has;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return has;
}

static void *work_on_awaited(void *data)
{
  for (int more = 1; more;) {
    callsig_task_begin(work, NULL);
    more = await_item();
    if (more) {
      sleep_ms(2);
      passed();
    }
    callsig_task_end(work, 0);
  }
  return data;
}

static void run_condition(unsigned threads)
{
  other = open_stage(1, "make", 1);
  work = open_stage(2, "work", threads);
  const struct team maker = start_team(1, make_items), workers = start_team(threads, work_on_awaited);
  join_team(&maker);
  join_team(&workers);
}

static void *gather(void *data)
{
  struct callsig_fifo_item item;
  while (get_item(items)) {
    const double end = now_ms() + 20;
    unsigned count = 1;
    while (count < 8 && now_ms() < end && callsig_fifo_get(items, &item, (uint64_t)((end - now_ms()) * 1e6)) == 0)
      count++;
    do_task(work, 30);
    for (; count > 0; count--)
      passed();
  }
  return data;
}

static void run_batches(unsigned threads)
{
  feed(threads, 600, 1, gather);
}

static double saved = 20, filled;

/* Waits for a token of a bucket that gets one each 1000/150 ms. */
static void take_token(void)
{
  pthread_mutex_lock(&lock);
  const double now = now_ms();
  saved = saved + (now - filled) * 0.150 > 20 ? 20 : saved + (now - filled) * 0.150;
  filled = now;
  saved -= 1;
  const double wait = saved < 0 ? -saved / 0.150 : 0;
  pthread_mutex_unlock(&lock);
  sleep_ms(wait);
}

static void *take_tokens_inside(void *data)
{
  while (get_item(items)) {
    callsig_task_begin(work, NULL);
    take_token();
    sleep_ms(2);
    callsig_task_end(work, 0);
    passed();
  }
  return data;
}

static void run_bucket(unsigned threads)
{
  filled = now_ms();
  feed(threads, 300, 0, take_tokens_inside);
}

static void *take_tokens_outside(void *data)
{
  while (get_item(items)) {
    take_token();
    do_task(work, 2);
    passed();
  }
  return data;
}

static void run_bucket_outside(unsigned threads)
{
  filled = now_ms();
  feed(threads, 300, 0, take_tokens_outside);
}

static void *write_to_disk(void *data)
{
  static const char block[65536];
  char name[32];
  snprintf(name, sizeof name, "disk%u", (unsigned)(uintptr_t)data);
  const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  while (get_item(items)) {
    callsig_task_begin(work, NULL);
    if (write(file, block, sizeof block) != (ssize_t)sizeof block || fdatasync(file) != 0)
      exit(4);
    callsig_task_end(work, 0);
    passed();
  }
  close(file);
  return data;
}

static void run_disk(unsigned threads)
{
  feed(threads, 300, 0, write_to_disk);
}

static sem_t channels;
static double computes_ms, answers_ms;

static void compute_ms(double ms)
{
  struct timespec time;
  double now, end = 0;
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    now = (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
    end = end > 0 ? end : now + ms;
  } while (now < end);
}

static void *use_device(void *data)
{
  while (get_item(items)) {
    callsig_task_begin(work, NULL);
    compute_ms(computes_ms);
    sem_wait(&channels);
    sleep_ms(answers_ms);
    sem_post(&channels);
    callsig_task_end(work, 0);
    passed();
  }
  return data;
}

static void run_device(unsigned threads)
{
  answers_ms = 8;
  sem_init(&channels, 0, 2);
  feed(threads, 300, 0, use_device);
}

static void run_connections(unsigned threads)
{
  computes_ms = 1;
  answers_ms = 9;
  sem_init(&channels, 0, 3);
  feed(threads, 400, 0, use_device);
}

static pthread_barrier_t barrier;

static void *in_step(void *data)
{
  for (unsigned i = 0; i < 120; i++) {
    callsig_task_begin(work, NULL);
    pthread_barrier_wait(&barrier);
    sleep_ms(data ? 5 : 12);
    callsig_task_end(work, 0);
    passed();
  }
  return NULL;
}

static void run_barrier(unsigned threads)
{
  pthread_barrier_init(&barrier, NULL, threads);
  work = open_stage(1, "work", threads);
  const struct team workers = start_team(threads, in_step);
  join_team(&workers);
}

static uint8_t is_there[1024];

static void *work_out_of_order(void *data)
{
  for (uint64_t item; (item = get_item(items));) {
    do_task(work, 4 + (double)(item * 7 % 13));
    put_item(done, item);
  }
  return data;
}

/* Takes what comes until the next one is there. */
static void *write_in_order(void *data)
{
  for (unsigned next = 1; next <= 300; next++) {
    callsig_task_begin(other, NULL);
    while (!is_there[next]) {
      const uint64_t item = get_item(done);
      is_there[item % 1024] = 1;
    }
    sleep_ms(0.5);
    callsig_task_end(other, 0);
    passed();
  }
  return data;
}

static void run_reorder(unsigned threads)
{
  other = open_stage(2, "write", 1);
  done = open_queue(1, "done", 16);
  const struct team writer = start_team(1, write_in_order);
  feed(threads, 300, 0, work_out_of_order);
  join_team(&writer);
}

static pthread_rwlock_t data_lock;

static void *read_data(void *data)
{
  while (get_item(items)) {
    callsig_task_begin(work, NULL);
    pthread_rwlock_rdlock(&data_lock);
    sleep_ms(4);
    pthread_rwlock_unlock(&data_lock);
    callsig_task_end(work, 0);
    passed();
  }
  return data;
}

static void *update_data(void *data)
{
  while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
    callsig_task_begin(other, NULL);
    pthread_rwlock_wrlock(&data_lock);
    sleep_ms(10);
    pthread_rwlock_unlock(&data_lock);
    callsig_task_end(other, 0);
    sleep_ms(10);
  }
  return data;
}

static void run_readers(unsigned threads)
{
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&data_lock, &attributes);
  other = open_stage(2, "update", 1);
  const struct team updater = start_team(1, update_data);
  feed(threads, 300, 0, read_data);
  is_over = 1;
  join_team(&updater);
}

static int is_loading[10];

static void load(unsigned key)
{
  pthread_mutex_lock(&lock);
  const int mine = !is_loading[key];
  is_loading[key] = 1;
  while (!mine && is_loading[key])
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  if (!mine)
    return;
  sleep_ms(12);
  pthread_mutex_lock(&lock);
  is_loading[key] = 0;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static void *load_keys(void *data)
{
  for (uint64_t item; (item = get_item(items));) {
    callsig_task_begin(work, NULL);
    load((unsigned)(item * item % 10));
    callsig_task_end(work, 0);
    passed();
  }
  return data;
}

static void run_loading(unsigned threads)
{
  feed(threads, 400, 0, load_keys);
}

static void *call_again(void *data)
{
  for (uint64_t item; (item = get_item(items));) {
    int fails = 1;
    for (unsigned tries = 0; tries < 4 && fails; tries++) {
      sleep_ms(tries > 0 ? 1 << tries : 0);
      callsig_task_begin(work, NULL);
      sleep_ms(1.5);
      fails = (item * 31 + tries * 17) % 3 == 0;
      callsig_task_end(work, fails);
    }
    passed();
  }
  return data;
}

static void run_retries(unsigned threads)
{
  feed(threads, 400, 0, call_again);
}

static int timer;

static void *take_frames(void *data)
{
  uint64_t frames;
  while (__atomic_add_fetch(&waiting, 1, __ATOMIC_RELAXED) <= 150) {
    callsig_task_begin(work, NULL);
    if (read(timer, &frames, sizeof frames) != (ssize_t)sizeof frames)
      exit(4);
    sleep_ms(1);
    callsig_task_end(work, 0);
    put_item(done, 1);
  }
  return data;
}

static void *write_frames(void *data)
{
  while (get_item(done)) {
    do_task(other, 2);
    passed();
  }
  return data;
}

static void run_camera(unsigned threads)
{
  const struct itimerspec each = {.it_value.tv_nsec = 10000000, .it_interval.tv_nsec = 10000000};
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  timerfd_settime(timer, 0, &each, NULL);
  work = open_stage(1, "work", threads);
  other = open_stage(2, "write", 1);
  done = open_queue(1, "done", 8);
  const struct team takers = start_team(threads, take_frames), writer = start_team(1, write_frames);
  join_team(&takers);
  callsig_fifo_shut(done);
  join_team(&writer);
}

int main(int argc, char **argv)
{
  static const struct shape shapes[] = {
      {"condition", run_condition},
      {"batches", run_batches},
      {"bucket", run_bucket},
      {"bucket_outside", run_bucket_outside},
      {"disk", run_disk},
      {"device", run_device},
      {"connections", run_connections},
      {"barrier", run_barrier},
      {"reorder", run_reorder},
      {"readers", run_readers},
      {"loading", run_loading},
      {"retries", run_retries},
      {"camera", run_camera},
      {NULL, NULL},
  };
  return run_shape(shapes, argc, argv);
}
