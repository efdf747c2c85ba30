/* Which module an address lies in: the program, a library, neither; and the process's mappings. */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/base/proc_maps.h"
#include "profiler/base/process.h"
#include "profiler/module/locate.h"
#include "tests/support/check.h"

static struct prof_located found;

#ifdef DLFO_STRUCT_HAS_EH_DBASE
/* While the linker is adding a module it does not know it yet. */
static bool linker_is_adding;
/* While another thread unloads a module: what the linker tells then as its link map. NULL: it does not. */
static struct link_map **told_map;

int _dl_find_object(void *address, struct dl_find_object *result)
{
  static int (*next)(void *, struct dl_find_object *);
  if (!next)
    next = (int (*)(void *, struct dl_find_object *))dlsym(RTLD_NEXT, "_dl_find_object");
  const int error = linker_is_adding ? -1 : next(address, result);
  if (error == 0 && told_map)
    result->dlfo_link_map = *told_map;
  return error;
}

/* The linker and the kernel tell of the same module, whatever lies behind it. */
static void test_both_ways(void)
{
  static struct prof_located by_kernel;
  void *function = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
  CHECK(function && prof_locate((uintptr_t)function, &found) == 0);
  CHECK(found.end % 4096 == 0 && found.end > (uintptr_t)function);
  void *behind =
      mmap((void *)found.end, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  linker_is_adding = true;
  CHECK(prof_locate((uintptr_t)function, &by_kernel) == 0);
  linker_is_adding = false;
  CHECK(by_kernel.start == found.start && by_kernel.end == found.end && by_kernel.bias == found.bias);
  CHECK(strcmp(by_kernel.path, found.path) == 0 && by_kernel.inode == found.inode);
  if (behind != MAP_FAILED)
    CHECK(munmap(behind, 4096) == 0);
}

/* A module that another thread is unloading: the linker tells of it, and its link map is gone, or freed, or the next
 * module's by now. What is mapped there is the kernel's to tell. */
static void test_unloading(void)
{
  static struct prof_located by_kernel;
  void *function = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
  char *gone = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(function && gone != MAP_FAILED && prof_locate((uintptr_t)function, &found) == 0);
  CHECK(prof_located_still(&found.linked, found.build_id, found.build_id_size));
  struct link_map unnamed = {.l_addr = found.bias}, freed_name = {.l_addr = found.bias, .l_name = gone},
                  another = {.l_addr = found.bias, .l_name = found.path + 1};
  struct link_map *maps[] = {NULL, (struct link_map *)(void *)gone, &unnamed, &freed_name};
  for (unsigned i = 0; i < sizeof maps / sizeof *maps; i++) {
    told_map = &maps[i];
    CHECK(!prof_located_still(&found.linked, found.build_id, found.build_id_size));
    CHECK(prof_locate((uintptr_t)function, &by_kernel) == 0);
    CHECK(by_kernel.start == found.start && by_kernel.bias == found.bias && strcmp(by_kernel.path, found.path) == 0);
  }
  struct link_map *other = &another;
  told_map = &other;
  CHECK(!prof_located_still(&found.linked, found.build_id, found.build_id_size));
  told_map = NULL;
  CHECK(prof_located_still(&found.linked, found.build_id, found.build_id_size));
  CHECK(munmap(gone, 4096) == 0);
}
#else
static void test_unloading(void)
{
}

static void test_both_ways(void)
{
}
#endif

static __thread int thread_local_word = 1;

static void test_program(void)
{
  char exe[PROF_MAX_PATH] = "";
  CHECK(readlink("/proc/self/exe", exe, sizeof exe - 1) > 0);
  CHECK(prof_locate((uintptr_t)test_program, &found) == 0);
  CHECK(found.main_program && !found.deleted && strcmp(found.path, exe) == 0);
  CHECK(found.start <= (uintptr_t)test_program && found.end > (uintptr_t)test_program);
  CHECK(found.build_id_size == 20 && found.inode != 0);
  struct link_map *first = dlopen(NULL, RTLD_NOW);
  CHECK(first && found.bias == first->l_addr);
  CHECK(found.tls_known);
  uintptr_t tp = (uintptr_t)__builtin_thread_pointer();
  uintptr_t block = tp + (uintptr_t)found.tls_offset;
  CHECK((uintptr_t)&thread_local_word >= block && (uintptr_t)&thread_local_word < tp);
}

static void test_library(void)
{
  void *function = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
  Dl_info info;
  CHECK(function && dladdr(function, &info));
  CHECK(prof_locate((uintptr_t)function, &found) == 0);
  CHECK(!found.main_program && !found.tls_known && found.start == (uintptr_t)info.dli_fbase);
  CHECK(strstr(found.path, "libc") && found.path[0] == '/');
}

static void test_nothing(void)
{
  void *heap = malloc(100);
  CHECK(prof_locate((uintptr_t)heap, &found) != 0);
  CHECK(prof_locate((uintptr_t)&heap, &found) != 0);
  CHECK(prof_locate(0, &found) != 0);
  CHECK(prof_locate(UINTPTR_MAX, &found) != 0);
  free(heap);
}

/* A copy of the program of such a name in the current folder, mapped; it is still there, or not. */
static void check_named(const char *name, bool removed)
{
  char folder[PROF_MAX_PATH], path[PROF_MAX_PATH + 64];
  int from = open("/proc/self/exe", O_RDONLY), file = open(name, O_RDWR | O_CREAT | O_EXCL, 0700);
  struct stat about;
  CHECK(from >= 0 && file >= 0 && fstat(from, &about) == 0 && getcwd(folder, sizeof folder));
  CHECK(sendfile(file, from, NULL, (size_t)about.st_size) == about.st_size);
  char *mapped = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  CHECK(mapped != MAP_FAILED);
  if (removed)
    CHECK(unlink(name) == 0);
  CHECK(prof_locate((uintptr_t)mapped + 64, &found) == 0);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  CHECK(strcmp(found.path, path) == 0 && found.deleted == removed && !found.main_program);
  CHECK(munmap(mapped, (size_t)about.st_size) == 0 && close(from) == 0 && close(file) == 0);
  if (!removed)
    CHECK(unlink(name) == 0);
}

/* The kernel's list has other names for some files than they have. */
static void test_odd_names(void)
{
  static const char *const names[] = {"two\nlines", "a\\012b", "library (deleted)", "two\nlines (deleted)", "plain.so"};
  char folder[] = "/tmp/callsig-locate-XXXXXX";
  int before = open(".", O_RDONLY | O_DIRECTORY);
  CHECK(before >= 0 && mkdtemp(folder) && chdir(folder) == 0);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    check_named(names[i], false);
    check_named(names[i], true);
  }
  CHECK(fchdir(before) == 0 && close(before) == 0 && rmdir(folder) == 0);
}

/* A small module whose linker puts its code into the file's first page, too: that is mapped twice. */
static void test_first_page_twice(void)
{
  enum { PAGE = 4096 };
  int file = open("/proc/self/exe", O_RDONLY);
  char *low = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(file >= 0 && low != MAP_FAILED);
  CHECK(mmap(low, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) == low);
  CHECK(mmap(low + PAGE, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0) == low + PAGE);
  CHECK(prof_locate((uintptr_t)low + PAGE + 64, &found) == 0);
  CHECK(found.start == (uintptr_t)low && found.end >= (uintptr_t)low + (uintptr_t)2 * PAGE);
  CHECK(munmap(low, (size_t)2 * PAGE) == 0 && close(file) == 0);
}

struct seen {
  uintptr_t address;
  bool stack, found, ascending;
  uintptr_t last;
  unsigned count;
};

static bool see(const struct prof_mapping *mapping, void *data)
{
  struct seen *seen = data;
  seen->ascending = seen->ascending && mapping->low >= seen->last && mapping->high > mapping->low;
  seen->last = mapping->high;
  seen->count++;
  seen->stack |= strcmp(mapping->path, "[stack]") == 0;
  if (mapping->low == seen->address)
    seen->found = mapping->writable && !mapping->executable && mapping->inode == 0;
  return true;
}

/* More mappings than one read brings. */
static void test_maps(void)
{
  enum { PAGES = 800 };
  char *pages = mmap(NULL, PAGES * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED);
  for (int i = 0; i < PAGES; i += 2)
    CHECK(mprotect(pages + i * 4096, 4096, PROT_READ | PROT_WRITE) == 0);
  struct seen seen = {.address = (uintptr_t)pages + (PAGES - 2) * 4096, .ascending = true};
  CHECK(prof_proc_maps_walk(see, &seen) == 0);
  CHECK(seen.stack && seen.found && seen.ascending && seen.count > PAGES);
}

static bool stop(const struct prof_mapping *mapping, void *data)
{
  (void)mapping;
  ++*(int *)data;
  return false;
}

int main(void)
{
  prof_process.pid = (uint32_t)getpid(); /* what reading memory asks for */
  test_program();
  test_library();
  test_nothing();
  test_odd_names();
  test_first_page_twice();
  test_both_ways();
  test_unloading();
  test_maps();
  int calls = 0;
  CHECK(prof_proc_maps_walk(stop, &calls) == 0 && calls == 1);
  return 0;
}
