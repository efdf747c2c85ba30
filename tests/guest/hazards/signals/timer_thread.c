/* A timer that runs its function in a new thread each time (SIGEV_THREAD). */
#include "tests/guest/hazard.h"

#include <semaphore.h>
#include <signal.h>
#include <time.h>

static sem_t done;

static void expired(union sigval value)
{
  CALLED(expired);
  (void)value;
  sem_post(&done);
}

int main(void)
{
  CALLED(main);
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = expired};
  sem_init(&done, 0, 0);
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  for (int i = 0; i < 5; i++) {
    timer_settime(timer, 0, &(struct itimerspec){.it_value = {0, 1000000}}, NULL);
    sem_wait(&done);
  }
  usleep(20000); /* in which the last thread ends */
  return 0;
}
