/* Landlock forbids all that has to do with files, set while it runs; a thread comes after. */
#include "tests/guest/hazard.h"

#include <linux/landlock.h>
#include <pthread.h>
#include <sys/prctl.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

static void *thread(void *data)
{
  CALLED(thread);
  for (int n = 0; n < 1000;)
    n = work(n);
  return data;
}

int main(void)
{
  CALLED(main);
  work(0);
  const struct landlock_ruleset_attr attributes = {.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1};
  const long rules = syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0L);
  if (rules >= 0) {
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == 0);
    CHECK(syscall(SYS_landlock_restrict_self, rules, 0L) == 0);
    CHECK(open("/etc/passwd", O_RDONLY) < 0);
  }
  pthread_t id;
  CHECK(pthread_create(&id, NULL, thread, NULL) == 0 && pthread_join(id, NULL) == 0);
  int n = 0;
  while (n < 3000)
    n = work(n);
  printf("%d\n", n);
  return 0;
}
