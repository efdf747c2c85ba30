/*
 * The recording's file and address range: made, grown, and handed out in blocks.
 *
 * The file grows by space that is allocated first, so that no page of it can fail later; then it is mapped behind what
 * is mapped of it, at addresses where nobody else asks for any, and blocks of it are handed out by moving header.next
 * on. So of the program's address space, which RLIMIT_AS may bound at any time, it takes what it holds; and what looks
 * at all of a program's memory (memcheck, for pointers) finds no more than is in use. No descriptor stays open in the
 * program: to grow, the file is opened again and checked to be the same. A program that is about to become another
 * user, or to have another root folder, has it made longer before (prof_recording_keep_room()): it then grows without
 * being opened.
 */
#include "profiler/base/recording.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "profiler/base/arena.h"
#include "profiler/base/clock.h"
#include "profiler/base/kernel_clock.h"
#include "profiler/base/lock.h"
#include "profiler/base/message.h"
#include "profiler/base/own_memory.h"
#include "profiler/base/proc_files.h"
#include "profiler/base/recording_file.h"
#include "profiler/base/settings.h"
#include "profiler/base/syscall.h"
#include "profiler/base/text.h"
#include "profiler/freestanding/memory.h"

#define HEADER_SIZE  4096u
#define GROWTH_LEAST ((uint64_t)1 << 20)

/* What is kept for a program that may not open the file any more. It is a hole in the file, which takes no space. */
#define ROOM ((uint64_t)64 << 20)

/* How many places are tried where nobody maps anything, before the kernel is asked for one. */
#define PLACES 16u

/* The part of RLIMIT_AS that the recording takes at most: the rest is the program's. */
#define LIMIT_PART  4u
#define PATIENCE_NS 100000000u /* from one attempt to open the file to the next */

/* One block or run of blocks that a tree holds; in the tree's arena. */
struct prof_block_list {
  struct prof_block_list *next;
  uint8_t *start;
  size_t size;
};

static uint64_t round_up(uint64_t value, uint64_t unit)
{
  return (value + unit - 1) / unit * unit;
}

/* How large the recording may be, of which `least` bytes are in use: RLIMIT_AS may have become less since it was asked.
 */
static uint64_t size_limit(const struct prof_process *process, uint64_t least)
{
  const uint64_t wish = round_up(process->settings.memory_limit, HEADER_SIZE);
  const uint64_t part = prof_limit_of(RLIMIT_AS) / LIMIT_PART / HEADER_SIZE * HEADER_SIZE;
  const uint64_t limit = part < wish ? part : wish;
  return limit > least ? limit : least;
}

/* Why calls go unrecorded from now on: once. */
static void tell_full(struct prof_process *process, long error)
{
  if (process->full)
    return;
  process->full = true;
  __atomic_fetch_or(&process->header->flags, FMT_REC_FULL, __ATOMIC_RELAXED);
  if (error == 0 && process->reserved < process->settings.memory_limit)
    prof_memory_refused(-ENOMEM); /* the program's part of RLIMIT_AS is left to it */
  else if (error == 0)
    prof_message("%s: the recording reached its limit of %lu bytes: new calls are only counted; raise CALLSIG_MEMORY",
                 process->path, (unsigned long)process->reserved);
  else if (error == -EFBIG)
    prof_message("%s: the recording reached the limit of RLIMIT_FSIZE: new calls are only counted", process->path);
  else
    prof_message("%s: the recording cannot grow (error %ld%s): new calls are only counted", process->path, -error,
                 error == -ENOSPC   ? ", the disk is full"
                 : error == -EEXIST ? ", something else is mapped behind it"
                 : error == -EACCES ? ", no permission to open it again"
                 : error == -ENOENT ? ", its path does not lead to it any more"
                                    : "");
}

/* There is no descriptor to open the file by: that is tried again in a moment. */
static void put_off(struct prof_process *process, long error)
{
  if (!process->grow_at)
    prof_message("%s: the recording cannot grow without a free descriptor (error %ld): until then it only counts calls",
                 process->path, -error);
  process->grow_at = prof_kernel_monotonic_ns() + PATIENCE_NS;
}

/* Maps the bytes [from, to) of the file at `base` + `from`. 0 or a negative errno: -EEXIST where something else is
 * mapped there, which an older kernel than 4.17 has told by another address. */
static long map_behind(uintptr_t base, long fd, uint64_t from, uint64_t to)
{
  const long address = prof_sys_mmap(base + from, to - from, PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, from);
  if (prof_sys_failed(address))
    return address;
  if ((uintptr_t)address == base + from)
    return 0;
  prof_sys_munmap((void *)address, to - from);
  return -EEXIST;
}

/* Gives the bytes up to *wish, or up to `least`, space in the file, and maps them. 0, or a negative errno; *wish: how
 * far, *refused: it was the mapping. */
static long extend_file(const struct prof_process *process, long fd, uint64_t least, uint64_t *wish, bool *refused)
{
  const uint64_t allocated = process->allocated;
  const uintptr_t base = (uintptr_t)process->header;
  long error = prof_recording_allocate(fd, allocated, *wish);
  if (error < 0)
    error = prof_recording_allocate(fd, allocated, *wish = least);
  if (error < 0)
    return error;
  error = map_behind(base, fd, allocated, *wish);
  /* Up to what somebody else has mapped there, or as much as there is. */
  if (error < 0 && *wish > least)
    error = map_behind(base, fd, allocated, *wish = least);
  *refused = error < 0 && error != -EEXIST;
  return error;
}

/* Gives the file, and what is mapped of it, `size` bytes at least. 0, or a negative errno; *refused: of the mapping. */
static long extend(struct prof_process *process, uint64_t size, bool *refused)
{
  const uint64_t allocated = process->allocated, least = round_up(size, HEADER_SIZE);
  const uint64_t step = allocated / 4 > GROWTH_LEAST ? allocated / 4 : GROWTH_LEAST;
  uint64_t wish = round_up(allocated + step > size ? allocated + step : size, HEADER_SIZE);
  if (wish > process->reserved)
    wish = process->reserved;
  const long fd = prof_recording_reopen(process);
  long error = fd;
  if (fd >= 0) {
    error = extend_file(process, fd, least, &wish, refused);
    prof_sys_close(fd);
  } else if (least <= process->room) {
    if (wish > process->room)
      wish = process->room;
    const uintptr_t end = (uintptr_t)process->header + allocated;
    error = prof_recording_lengthen(end, wish - allocated);
    if (error < 0 && wish > least)
      error = prof_recording_lengthen(end, (wish = least) - allocated);
  }
  if (error == 0)
    __atomic_store_n(&process->allocated, wish, __ATOMIC_RELEASE);
  return error;
}

/* Makes the file, and what is mapped of it, at least `size` bytes long. */
static bool grow(struct prof_process *process, uint64_t size)
{
  long error = 0;
  bool refused = false;
  prof_lock(&process->growth);
  bool done = __atomic_load_n(&process->allocated, __ATOMIC_RELAXED) >= size;
  if (!done && (!process->grow_at || prof_kernel_monotonic_ns() >= process->grow_at)) {
    __atomic_store_n(&process->reserved, size_limit(process, process->allocated), __ATOMIC_RELAXED);
    done = size <= process->reserved && (error = extend(process, size, &refused)) == 0;
    if (refused)
      prof_memory_refused(error);
    else if (error == -EMFILE || error == -ENFILE)
      put_off(process, error);
    else if (!done)
      tell_full(process, error);
  }
  prof_unlock(&process->growth);
  return done;
}

void prof_recording_keep_room(void)
{
  struct prof_process *process = &prof_process;
  prof_lock(&process->growth);
  const uint64_t limits[] = {process->reserved, prof_limit_of(RLIMIT_FSIZE) / HEADER_SIZE * HEADER_SIZE};
  uint64_t wish = process->allocated + ROOM;
  for (unsigned i = 0; i < sizeof limits / sizeof limits[0]; i++)
    if (wish > limits[i])
      wish = limits[i];
  /* Not each time, where a program changes its user again and again. */
  if (process->room < process->allocated + ROOM / 2 && process->room < wish && process->allocated < wish) {
    const long fd = prof_recording_reopen(process);
    if (fd >= 0) {
      if (PROF_SYSCALL2(SYS_ftruncate, fd, wish) == 0)
        process->room = wish;
      prof_sys_close(fd);
    }
  }
  prof_unlock(&process->growth);
}

/* `size` fresh bytes of the file, a multiple of PROF_BLOCK_LEAST. */
static uint8_t *take_fresh(size_t size)
{
  struct prof_process *process = &prof_process;
  if (!process->header)
    return NULL;
  uint64_t next = __atomic_load_n(&process->header->next, __ATOMIC_RELAXED);
  for (;;) {
    if (next + size > __atomic_load_n(&process->allocated, __ATOMIC_ACQUIRE)) {
      if (process->full && next + size > process->allocated)
        return NULL;
      if (!grow(process, next + size))
        return NULL;
    }
    if (__atomic_compare_exchange_n(&process->header->next, &next, next + size, true, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return (uint8_t *)process->header + next;
  }
}

/* The largest block that is not larger than `size`, as a place in process.free_blocks. */
static unsigned size_class(uint64_t size)
{
  unsigned number = 0;
  while (number + 1 < PROF_BLOCK_SIZES && PROF_BLOCK_LEAST << (number + 1) <= size)
    number++;
  return number;
}

/* A block that a folded tree gave back, zeroed, or NULL: none is of just this size. */
static uint8_t *take_freed(uint64_t size)
{
  struct prof_process *process = &prof_process;
  const unsigned number = size_class(size);
  void **list = &process->free_blocks[number];
  if (size != PROF_BLOCK_LEAST << number || !__atomic_load_n(list, __ATOMIC_RELAXED))
    return NULL;
  prof_lock(&process->growth);
  void **block = *list;
  if (block)
    __atomic_store_n(list, *block, __ATOMIC_RELAXED);
  prof_unlock(&process->growth);
  if (block)
    prof_fill_bytes(block, 0, size);
  return (uint8_t *)block;
}

/* What a record of this size takes by itself: a block, which another tree can use again, or several of the largest. */
static uint64_t whole_blocks(uint64_t size)
{
  const uint64_t block = PROF_BLOCK_LEAST << size_class(size);
  return block >= size ? block : block < PROF_BLOCK_MOST ? block * 2 : round_up(size, PROF_BLOCK_MOST);
}

static uint8_t *take_block(struct prof_tree *tree, uint64_t size)
{
  struct prof_block_list *entry = prof_arena_alloc(&tree->arena, sizeof *entry);
  if (!entry)
    return NULL;
  entry->start = take_freed(size);
  if (!entry->start)
    entry->start = take_fresh(size);
  if (!entry->start)
    return NULL;
  entry->size = size;
  entry->next = tree->blocks;
  tree->blocks = entry;
  tree->block_bytes += size;
  return entry->start;
}

void *prof_record_alloc(struct prof_tree *tree, size_t size)
{
  size_t alignment = size >= 64 ? 64 : 8;
  uintptr_t at = ((uintptr_t)tree->block + alignment - 1) & ~(alignment - 1);
  if (tree->block && at + size <= (uintptr_t)tree->block_end) {
    tree->block = (uint8_t *)(at + size);
    return (void *)at;
  }
  const uint64_t next = PROF_BLOCK_LEAST << size_class(tree->block_bytes / 2);
  if (size > next / 2)
    return take_block(tree, whole_blocks(size));
  uint8_t *block = take_block(tree, next);
  if (!block)
    return NULL;
  tree->block = block + size;
  tree->block_end = block + next;
  return block;
}

void *prof_record_alloc_run(size_t size)
{
  return take_fresh(round_up(size, HEADER_SIZE));
}

void *prof_record_small(size_t size)
{
  struct prof_process *process = &prof_process;
  prof_lock(&process->names_lock);
  uintptr_t at = ((uintptr_t)process->names_next + 15) & ~(uintptr_t)15;
  if (!process->names_next || at + size > (uintptr_t)process->names_end) {
    process->names_next = take_fresh(HEADER_SIZE);
    process->names_end = process->names_next ? process->names_next + HEADER_SIZE : NULL;
    at = (uintptr_t)process->names_next;
  }
  if (at)
    process->names_next = (uint8_t *)(at + size);
  prof_unlock(&process->names_lock);
  return (void *)at;
}

struct fmt_rec_name *prof_record_name(const char *text, size_t length)
{
  size_t size = round_up(sizeof(struct fmt_rec_name) + length + 1, 8);
  struct fmt_rec_name *name = size > HEADER_SIZE ? prof_record_alloc_run(size) : prof_record_small(size);
  if (!name)
    return NULL;
  for (size_t i = 0; i < length; i++)
    name->text[i] = text[i];
  name->length = (uint32_t)length;
  name->tag = (struct fmt_rec_tag){FMT_TAG_NAME, (uint32_t)size};
  return name;
}

void prof_tree_release(struct prof_tree *tree)
{
  struct prof_process *process = &prof_process;
  struct prof_block_list *entry = tree->blocks;
  prof_lock(&process->growth);
  for (; entry; entry = entry->next) {
    for (uint64_t at = 0, size; at < entry->size; at += size) {
      const unsigned number = size_class(entry->size - at);
      void **block = (void **)(entry->start + at);
      size = PROF_BLOCK_LEAST << number;
      *block = process->free_blocks[number];
      __atomic_store_n(&process->free_blocks[number], block, __ATOMIC_RELAXED);
    }
  }
  prof_unlock(&process->growth);
  struct prof_arena arena = tree->arena;
  *tree = (struct prof_tree){0};
  prof_arena_free(&arena);
}

void prof_tree_check_pressure(struct prof_tree *tree)
{
  uint64_t used = __atomic_load_n(&prof_process.header->next, __ATOMIC_RELAXED), limit = prof_process.reserved;
  if (used >= limit / 16 * 15)
    tree->pressure = PROF_PRESSURE_SIGNATURES;
  else if (used >= limit / 4 * 3)
    tree->pressure = PROF_PRESSURE_CONTEXTS;
}

/* Where so much can be mapped now, by the kernel's choice; 0: nowhere. The kernel puts what others map next to the
 * upper end of such a hole, so that what lies at its beginning can grow for long. */
static uintptr_t find_hole(uint64_t size)
{
  const long address = prof_sys_mmap(0, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (prof_sys_failed(address))
    return 0;
  prof_sys_munmap((void *)address, size);
  return (uintptr_t)address;
}

/* Maps what the file has at first, where it can grow. The address or a negative errno. */
static long map_file(struct prof_process *process, long fd)
{
  process->reserved = size_limit(process, GROWTH_LEAST);
  long address = 0;
  for (unsigned i = 0; i <= PLACES; i++) {
    const uintptr_t place = i < PLACES ? prof_growing_place(process->reserved) : find_hole(process->reserved);
    address = prof_sys_mmap(place, GROWTH_LEAST, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (prof_sys_failed(address) || (uintptr_t)address == place || i == PLACES)
      break;
    prof_sys_munmap((void *)address, GROWTH_LEAST);
  }
  return address;
}

/* What `read` gives of the file at `path`, or NULL. Not by way of the stack, which may be a handler's small one. */
static struct fmt_rec_name *name_from(const char *path, long (*read)(const char *path, char *text, size_t size))
{
  char *text = prof_scratch_take(PROF_MAX_PATH);
  const long length = text ? read(path, text, PROF_MAX_PATH) : 0;
  struct fmt_rec_name *name = length > 0 ? prof_record_name(text, (size_t)length) : NULL;
  if (text)
    prof_scratch_give(text, PROF_MAX_PATH);
  return name;
}

static void fill_header(struct prof_process *process, bool child)
{
  struct fmt_rec_header *header = process->header;
  const char magic[8] = FMT_RECORDING_MAGIC;
  header->version = FMT_RECORDING_VERSION;
  header->header_size = sizeof *header;
  header->base = (uintptr_t)header;
  header->reserved_size = process->reserved;
  header->next = HEADER_SIZE;
  header->pid = process->pid;
  header->run = process->settings.run;
  header->ppid = (uint32_t)PROF_SYSCALL0(SYS_getppid);
  header->clock = process->settings.clock;
  header->overhead = process->settings.overhead;
  header->drawn_from = process->settings.sample_times ? PROF_DRAWN_FROM : 0;
  header->flags = (process->settings.signatures ? FMT_REC_SIGNATURES : 0u) |
                  (process->settings.sample_times ? FMT_REC_SAMPLED : 0u) | (child ? FMT_REC_CHILD : 0u) |
                  (process->scheduled ? FMT_REC_SCHEDULE : 0u) | (process->settings.asked ? FMT_REC_ASKED : 0u);
  header->injected_hz = process->clock_hz;
  header->exit_status = -1;
  header->timeline_min = prof_clock_timeline_min();
  header->start_realtime_ns = prof_realtime_ns();
  header->program = (uintptr_t)name_from("/proc/self/exe", prof_link_read);
  header->command = (uintptr_t)name_from("/proc/self/cmdline", prof_small_file_read);
  const struct fmt_rank *rank = &process->settings.rank;
  if (rank->source) {
    header->rank = rank->number;
    header->rank_source = (uintptr_t)prof_record_name(rank->source, prof_length(rank->source));
  }
  header->start = prof_clock_point();
  header->last = header->start;
  /* The magic comes last: before it the file is no recording. */
  uint64_t word;
  __builtin_memcpy(&word, magic, sizeof word);
  __atomic_store_n((uint64_t *)(void *)header->magic, word, __ATOMIC_RELEASE);
}

/* Maps the header once more, for forked children that get no recording of their own: they leave all else of it. */
static void map_header_again(struct prof_process *process, long fd)
{
  const size_t size = sizeof(struct fmt_rec_header);
  if (process->counted_in)
    prof_sys_munmap(process->counted_in, size);
  const long address = prof_sys_mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  process->counted_in = prof_sys_failed(address) ? NULL : (struct fmt_rec_header *)address;
}

/* Gives the file of `lock` space, maps it, and keeps its lock. 0 or a negative errno. */
static long take_file(struct prof_process *process, long lock, struct fmt_rec_header **header)
{
  struct stat status;
  long error = PROF_SYSCALL2(SYS_fstat, lock, &status);
  if (error < 0)
    return error;
  process->inode = status.st_ino;
  process->device = status.st_dev;
  long fd = prof_recording_reopen(process);
  if (fd < 0)
    return fd;
  error = prof_recording_allocate(fd, 0, GROWTH_LEAST);
  long address = error == 0 ? map_file(process, fd) : 0;
  if (prof_sys_failed(address))
    error = address;
  if (error == 0 && (error = prof_recording_hold(lock)) < 0)
    prof_sys_munmap((void *)address, GROWTH_LEAST);
  if (error == 0) {
    *header = (struct fmt_rec_header *)address;
    map_header_again(process, fd);
  }
  prof_sys_close(fd);
  return error;
}

int prof_recording_open(struct prof_process *process, bool child)
{
  process->full = false;
  process->room = process->grow_at = 0;
  for (unsigned i = 0; i < PROF_BLOCK_SIZES; i++)
    process->free_blocks[i] = NULL;
  if (!process->settings.output[0])
    return -ENAMETOOLONG; /* options.c has told of it */
  bool given;
  long lock = prof_recording_create(process, &given);
  if (lock < 0) {
    prof_message("%s: the recording cannot be created (error %ld%s): nothing is recorded; see CALLSIG_OUTPUT",
                 process->path, -lock,
                 lock == -EACCES   ? ", no permission"
                 : lock == -ENOENT ? ", no such directory"
                 : lock == -EROFS  ? ", read-only"
                                   : "");
    process->path[0] = '\0';
    return (int)lock;
  }
  long error = take_file(process, lock, &process->header);
  prof_sys_close(lock);
  if (error < 0) {
    prof_message("%s: no space for the recording (error %ld%s): nothing is recorded", process->path, -error,
                 error == -ENOSPC   ? ", the disk is full"
                 : error == -EFBIG  ? ", RLIMIT_FSIZE is too small"
                 : error == -ENOMEM ? ", RLIMIT_AS is too small"
                                    : "");
    if (!given && error != -ESTALE)
      PROF_SYSCALL3(SYS_unlinkat, AT_FDCWD, process->path, 0);
    process->path[0] = '\0';
    return (int)error;
  }
  __atomic_store_n(&process->allocated, GROWTH_LEAST, __ATOMIC_RELEASE);
  fill_header(process, child);
  return 0;
}
