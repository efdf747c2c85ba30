/* Arguments on pages that another thread fills in when they are touched (userfaultfd), with calls of its own. */
#include "tests/guest/hazard.h"

#include <linux/userfaultfd.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>

#define PAGES 40

static int faults;

OWN static int work(const char *text, int n)
{
  CALLED(work);
  return n + text[0];
}

OWN static int fill(int n)
{
  CALLED(fill);
  return 'a' + n % 26;
}

static void *serve(void *data)
{
  CALLED(serve);
  static char page[4096] __attribute__((aligned(4096)));
  for (int i = 0; i < PAGES; i++) {
    struct uffd_msg message;
    CHECK(read(faults, &message, sizeof message) == (long)sizeof message);
    memset(page, fill(i), sizeof page);
    struct uffdio_copy copy = {.dst = message.arg.pagefault.address & ~4095ul, .src = (uintptr_t)page, .len = 4096};
    CHECK(ioctl(faults, UFFDIO_COPY, &copy) == 0);
  }
  return data;
}

int main(void)
{
  CALLED(main);
  char *pages = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct uffdio_api api = {.api = UFFD_API};
  struct uffdio_register all = {.range = {(uintptr_t)pages, PAGES * 4096}, .mode = UFFDIO_REGISTER_MODE_MISSING};
  CHECK(pages != MAP_FAILED);
  faults = (int)syscall(SYS_userfaultfd, (long)O_CLOEXEC);
  if (faults < 0) {
    printf("none\n");
    return 0;
  }
  CHECK(ioctl(faults, UFFDIO_API, &api) == 0 && ioctl(faults, UFFDIO_REGISTER, &all) == 0);
  pthread_t id;
  CHECK(pthread_create(&id, NULL, serve, NULL) == 0);
  int sum = 0;
  for (int i = 0; i < PAGES; i++)
    sum += work(pages + (long)i * 4096, i);
  CHECK(pthread_join(id, NULL) == 0);
  printf("%d\n", sum);
  return 0;
}
