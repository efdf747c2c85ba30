/* Reads errno, the signal mask and the x87 and SSE control words after every call, first calls included. */
#include "tests/guest/guest.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <xmmintrin.h>

COUNTER(plain);
COUNTER(varied);
COUNTER(recursive);

static int plain(int x)
{
  HIT(plain);
  KEEP(x);
  return x;
}

static int varied(unsigned long x)
{
  HIT(varied);
  KEEP(x);
  return (int)x;
}

static int recursive(int n)
{
  HIT(recursive);
  CHECK(errno == 1234);
  int below = n ? recursive(n - 1) : 0;
  CHECK(errno == 1234);
  return below + 1;
}

static QUIET void same_as_before(const sigset_t *mask, unsigned control)
{
  sigset_t now;
  CHECK(errno == 1234);
  CHECK(pthread_sigmask(SIG_SETMASK, NULL, &now) == 0);
  CHECK(memcmp(&now, mask, sizeof(unsigned long)) == 0);
  CHECK(_mm_getcsr() == control);
  CHECK(fegetround() == FE_UPWARD);
}

static void *body(void *data)
{
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR2);
  CHECK(pthread_sigmask(SIG_SETMASK, &mask, NULL) == 0);
  CHECK(fesetround(FE_UPWARD) == 0);
  _mm_setcsr(_mm_getcsr() | 0x8040); /* flush to zero, denormals are zero */
  unsigned control = _mm_getcsr();
  errno = 1234;
  for (unsigned long i = 0; i < 2000; i++) {
    plain(1);
    same_as_before(&mask, control);
    varied(i);
    same_as_before(&mask, control);
    if (i % 100 == 0)
      recursive((int)i);
    same_as_before(&mask, control);
  }
  return data;
}

int main(void)
{
  pthread_t thread;
  errno = 77;
  plain(0);
  CHECK(errno == 77);
  CHECK(pthread_create(&thread, NULL, body, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  TELL(plain);
  TELL(varied);
  TELL(recursive);
  printf("count body 1\ncount main 1\n");
  return 0;
}
