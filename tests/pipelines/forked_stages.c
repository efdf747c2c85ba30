/*
 * A pipeline over processes: WORKERS ITEMS MS_READ MS_DECODE MS_WRITE. The first process reads, so many that it forks
 * decode, and a thread of the first writes; items go from one to the next by pipes, each of which is told as a queue in
 * the processes at both of its ends. Prints the seconds from the first item to the last.
 */
#include <callsig/callsig.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct callsig_stage *stages[3];
static struct callsig_queue *queues[2];
static int pipes[2][2];
static double ms[3];

static double seconds(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void run_task(unsigned stage)
{
  const struct timespec time = {.tv_sec = (time_t)(ms[stage] / 1000), .tv_nsec = (long)(ms[stage] * 1e6) % 1000000000L};
  callsig_task_begin(stages[stage], NULL);
  nanosleep(&time, NULL);
  callsig_task_end(stages[stage], 0);
}

static void put(unsigned queue, unsigned item)
{
  const uint64_t token = callsig_queue_put_begin(queues[queue]);
  const ssize_t written = write(pipes[queue][1], &item, sizeof item);
  callsig_queue_put_end(queues[queue], token, item, written != sizeof item);
}

static int get(unsigned queue, unsigned *item)
{
  const uint64_t token = callsig_queue_get_begin(queues[queue]);
  const ssize_t got = read(pipes[queue][0], item, sizeof *item);
  callsig_queue_get_end(queues[queue], token, *item, got != sizeof *item);
  return got == sizeof *item;
}

static void decode(void)
{
  unsigned item = 0;
  close(pipes[0][1]);
  close(pipes[1][0]);
  while (get(0, &item)) {
    run_task(1);
    put(1, item);
  }
}

static void *write_items(void *data)
{
  unsigned item = 0;
  while (get(1, &item))
    run_task(2);
  return data;
}

static void open_all(unsigned workers)
{
  static const char *const names[] = {"read", "decode", "write"};
  for (unsigned i = 0; i < 3; i++) {
    const struct callsig_stage_options stage = {
        .size = sizeof stage, .index = i, .name = names[i], .concurrency = i == 1 ? workers : 1};
    const struct callsig_queue_options queue = {.size = sizeof queue, .index = i, .name = names[i]};
    if (callsig_stage_open(&stage, &stages[i]) < 0 ||
        (i < 2 && (callsig_queue_open(&queue, &queues[i]) < 0 || pipe(pipes[i]) < 0)))
      exit(3);
  }
}

int main(int argc, char **argv)
{
  pthread_t writer;
  if (argc < 6)
    return 2;
  const unsigned workers = (unsigned)atoi(argv[1]), items = (unsigned)atoi(argv[2]);
  for (unsigned i = 0; i < 3; i++)
    ms[i] = atof(argv[3 + i]);
  open_all(workers);
  for (unsigned i = 0; i < workers; i++) {
    const pid_t pid = fork();
    if (pid < 0)
      return 3;
    if (pid == 0) {
      decode();
      return 0;
    }
  }
  close(pipes[0][0]);
  close(pipes[1][1]);
  const double start = seconds();
  pthread_create(&writer, NULL, write_items, NULL);
  for (unsigned i = 1; i <= items; i++) {
    run_task(0);
    put(0, i);
  }
  close(pipes[0][1]);
  for (unsigned i = 0; i < workers; i++)
    wait(NULL);
  pthread_join(writer, NULL);
  printf("%.4f\n", seconds() - start);
  return 0;
}
