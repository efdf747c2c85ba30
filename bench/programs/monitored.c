/* monitored KIND SECONDS: a program to be monitored. KIND stages: four threads work on tasks of two stages; rows:
 * 24,000 rows by function and signature. */
#include <callsig/callsig.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile int sink;
static time_t until;

static __attribute__((noinline)) void spin(int turns)
{
  for (int i = 0; i < turns; i++)
    sink += i;
}

struct stage_thread {
  struct callsig_stage *stage;
  int turns;
};

static void *run_tasks(void *data)
{
  const struct stage_thread *thread = data;
  while (time(NULL) < until) {
    callsig_task_begin(thread->stage, NULL);
    spin(thread->turns);
    callsig_task_end(thread->stage, 0);
    usleep(200);
  }
  return NULL;
}

static int run_stages(void)
{
  static struct stage_thread stages[2] = {{NULL, 1000}, {NULL, 5000}};
  static const char *const names[] = {"decode", "encode"};
  pthread_t threads[4];
  for (unsigned i = 0; i < 2; i++) {
    const struct callsig_stage_options options = {
        .size = sizeof options, .index = i + 1, .name = names[i], .concurrency = 2};
    if (callsig_stage_open(&options, &stages[i].stage) < 0)
      return 1;
  }
  for (unsigned i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, run_tasks, &stages[i % 2]);
  for (unsigned i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  return 0;
}

#define F(n)                                                                                                           \
  static __attribute__((noinline)) void f##n(int a)                                                                    \
  {                                                                                                                    \
    sink += a;                                                                                                         \
  }
#define F10(n)  F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)
#define F100(n) F10(n##0) F10(n##1) F10(n##2) F10(n##3) F10(n##4) F10(n##5) F10(n##6) F10(n##7) F10(n##8) F10(n##9)
F100(1)

#define C(n)    f##n(a);
#define C10(n)  C(n##0) C(n##1) C(n##2) C(n##3) C(n##4) C(n##5) C(n##6) C(n##7) C(n##8) C(n##9)
#define C100(n) C10(n##0) C10(n##1) C10(n##2) C10(n##3) C10(n##4) C10(n##5) C10(n##6) C10(n##7) C10(n##8) C10(n##9)

static int run_rows(void)
{
  while (time(NULL) < until) {
    for (int a = 0; a < 240; a++) {
      C100(1)
    }
    usleep(1000);
  }
  return 0;
}

int main(int argc, char **argv)
{
  if (argc != 3)
    return 2;
  until = time(NULL) + atol(argv[2]);
  return strcmp(argv[1], "stages") == 0 ? run_stages() : run_rows();
}
