/*
 * The smallest profiler there is: it counts the calls of the hooks by probe site, and nothing else. The oracles use it
 * to learn, without any of callsig's code, which sites a program reaches and how often.
 *
 * LD_PRELOAD it, with COUNT_HOOKS_OUTPUT naming a file. The file is the table below, mapped shared, so it is complete
 * however the program ends. A site is its run-time address; run the program without address randomisation to know its
 * module.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define SLOTS (1u << 18)

struct slot {
  _Atomic uint64_t site;
  _Atomic uint64_t function;
  _Atomic uint64_t calls;
};

static struct slot *_Atomic table;
static struct slot spare[1];

__attribute__((no_instrument_function)) static struct slot *open_table(void)
{
  const char *path = getenv("COUNT_HOOKS_OUTPUT");
  int fd = path != NULL ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
  void *memory = MAP_FAILED;
  if (fd >= 0 && ftruncate(fd, (off_t)(SLOTS * sizeof(struct slot))) == 0)
    memory = mmap(NULL, SLOTS * sizeof(struct slot), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd >= 0)
    close(fd);
  return memory != MAP_FAILED ? memory : spare;
}

__attribute__((constructor, no_instrument_function)) static void start(void)
{
  if (atomic_load(&table) == NULL)
    atomic_store(&table, open_table());
}

__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function, void *call_site)
{
  (void)call_site;
  uint64_t site = (uint64_t)__builtin_return_address(0);
  start();
  struct slot *slots = atomic_load(&table);
  if (slots == spare)
    return;
  for (uint64_t i = site * 0x9E3779B97F4A7C15u >> 46;; i = (i + 1) % SLOTS) {
    uint64_t seen = atomic_load(&slots[i].site);
    if (seen == 0 && atomic_compare_exchange_strong(&slots[i].site, &seen, site)) {
      atomic_store(&slots[i].function, (uint64_t)function);
      seen = site;
    }
    if (seen == site) {
      atomic_fetch_add(&slots[i].calls, 1);
      return;
    }
  }
}

__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *function, void *call_site)
{
  (void)function;
  (void)call_site;
}
