/*
 * The smallest profiler there is: it counts the calls of the hooks by probe site, and nothing else. The oracles use it
 * to learn, without any of callsig's code, which sites a program reaches and how often: alone, or in front of another
 * library with hooks, which are then jumped to, so that both count the same process.
 *
 * LD_PRELOAD it (before that library), with COUNT_HOOKS_OUTPUT naming a file. The file is the table below, mapped
 * shared, so it is complete however the program ends. A site is its run-time address; run the program without address
 * randomisation to know its module.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
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

/* Copies the memory map beside the table. It allocates nothing: the program's addresses stay as they are without it. */
__attribute__((no_instrument_function)) static void copy_map(const char *table_path)
{
  char path[4096], buffer[4096];
  ssize_t count;
  int length = snprintf(path, sizeof path, "%s.maps", table_path);
  int from = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  int to = length > 0 && (size_t)length < sizeof path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
  while (from >= 0 && to >= 0 && (count = read(from, buffer, sizeof buffer)) > 0)
    if (write(to, buffer, (size_t)count) != count)
      break;
  if (from >= 0)
    close(from);
  if (to >= 0)
    close(to);
}

__attribute__((no_instrument_function)) static struct slot *open_table(void)
{
  const char *path = getenv("COUNT_HOOKS_OUTPUT");
  int fd = path != NULL ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
  void *memory = MAP_FAILED;
  if (fd >= 0 && ftruncate(fd, (off_t)(SLOTS * sizeof(struct slot))) == 0)
    memory = mmap(NULL, SLOTS * sizeof(struct slot), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd >= 0)
    close(fd);
  if (memory != MAP_FAILED)
    copy_map(path);
  return memory != MAP_FAILED ? memory : spare;
}

void count_hooks_return(void);

/* What the hooks below go on with: the next library's. */
void *count_hooks_next_enter = (void *)count_hooks_return;
void *count_hooks_next_exit = (void *)count_hooks_return;

__attribute__((constructor, no_instrument_function)) static void start(void)
{
  if (atomic_load(&table) != NULL)
    return;
  void *enter = dlsym(RTLD_NEXT, "__cyg_profile_func_enter");
  void *leave = dlsym(RTLD_NEXT, "__cyg_profile_func_exit");
  if (enter != NULL && leave != NULL) {
    count_hooks_next_enter = enter;
    count_hooks_next_exit = leave;
  }
  atomic_store(&table, open_table());
}

/* One call of the entry hook, which returns to `site`. */
__attribute__((no_instrument_function)) void count_hooks_add(void *function, void *call_site, uint64_t site)
{
  (void)call_site;
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

/* The hooks jump on with the stack and the arguments as they were: the next library sees the program's own call. libc
 * has functions of the hooks' names that do nothing, which end the chain. */
__asm__(".text\n"
        ".globl __cyg_profile_func_enter\n"
        ".type __cyg_profile_func_enter, @function\n"
        "__cyg_profile_func_enter:\n"
        "  push %rdi\n"
        "  push %rsi\n"
        "  sub $8, %rsp\n"
        "  mov 24(%rsp), %rdx\n"
        "  call count_hooks_add@PLT\n"
        "  add $8, %rsp\n"
        "  pop %rsi\n"
        "  pop %rdi\n"
        "  mov count_hooks_next_enter@GOTPCREL(%rip), %rax\n"
        "  jmp *(%rax)\n"
        ".size __cyg_profile_func_enter, .-__cyg_profile_func_enter\n"
        ".globl __cyg_profile_func_exit\n"
        ".type __cyg_profile_func_exit, @function\n"
        "__cyg_profile_func_exit:\n"
        "  mov count_hooks_next_exit@GOTPCREL(%rip), %rax\n"
        "  jmp *(%rax)\n"
        ".size __cyg_profile_func_exit, .-__cyg_profile_func_exit\n"
        ".globl count_hooks_return\n"
        ".type count_hooks_return, @function\n"
        "count_hooks_return:\n"
        "  ret\n"
        ".size count_hooks_return, .-count_hooks_return\n");
