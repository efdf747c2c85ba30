/* A child of vfork() asks for a block in its parent's memory; one of fork() gives its parent's back. */
#define _GNU_SOURCE
#include "tests/guest/guest.h"

#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 50

static void *volatile kept;

APART static void *take(size_t size)
{
  return malloc(size);
}

APART static void give(void *block)
{
  free(block);
}

int main(void)
{
  for (int i = 0; i < ROUNDS; i++) {
    /* It is what is tried here. NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork) */
    const pid_t child = vfork();
    if (child == 0) {
      kept = take(10); /* NOLINT(clang-analyzer-unix.Vfork): likewise */
      _exit(0);
    }
    CHECK(child > 0 && waitpid(child, NULL, 0) == child);
    give(kept); /* NOLINT(clang-analyzer-unix.Malloc): the child's, which shares the memory */
  }
  kept = take(5);
  const pid_t child = fork();
  if (child == 0) {
    give(kept);
    kept = take(7);
    _exit(0);
  }
  CHECK(child > 0 && waitpid(child, NULL, 0) == child);
  printf("asked take %d %d 5\n", ROUNDS + 1, ROUNDS * 10 + 5);
  return 0;
}
