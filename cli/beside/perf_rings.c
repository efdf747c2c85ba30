/* Reads the samples that the kernel takes of a program. */
#include "cli/beside/perf_rings.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/beside/callers.h"
#include "cli/beside/code_map.h"
#include "cli/beside/sample_price.h"
#include "cli/beside/sampled_stack.h"
#include "cli/beside/unwind.h"
#include "symbols/base/addressmap.h"

/* Of a ring, without its first page: several times what is written between two looks. It is as much as an ordinary user
 * may lock; where others have locked some, the fewer will do on a machine that is not too busy. */
#define RING_PAGES       128u
#define RING_PAGES_LEAST 32u

/* PERF_FORMAT_LOST of Linux 6.0: of an event, how many of its own records had no room. */
#define FORMAT_LOST (1u << 4)

/* PERF_RECORD_MISC_SWITCH_OUT_PREEMPT of Linux 4.17: the thread could go on, and had to give way. */
#define MISC_PREEMPTED (1u << 14)

struct ring {
  int file;
  int mappings; /* an event of its own, whose records go into the same ring: it is never switched off */
  struct perf_event_mmap_page *page;
};

enum event_kind { EVENT_SAMPLE, EVENT_MAPPING, EVENT_EXEC, EVENT_WAIT, EVENT_RUN };

/* What a record of a ring says, kept until the records of all rings up to its time are there. */
struct event {
  uint64_t time;
  uint64_t address; /* of a mapping, its start */
  uint64_t size, offset;
  uint32_t kind; /* enum event_kind */
  uint32_t pid, tid;
  uint32_t path;                   /* string, of a mapping */
  struct cli_sampled_stack *stack; /* of a sample in user code. Owned; NULL: unknown */
};

/* Since when a thread has been waiting. */
struct waiting {
  uint32_t tid;
  uint64_t since; /* 0: it runs, or could */
};

struct cli_perf_rings {
  struct ring *rings;
  size_t pages; /* of each, without its first one */
  uint32_t count;
  bool in_kernel;  /* samples are taken there, too */
  bool tells_lost; /* events count the records of theirs that were lost */
  size_t page_size;
  struct base_vector events; /* struct event */
  struct cli_spare_stacks spare;
  struct cli_code_map map;
  struct cli_callers callers;
  struct base_vector waiting;     /* struct waiting */
  struct sym_address_map threads; /* tid -> place in it */
  char *record;                   /* one that lies across the end of its ring */
  uint64_t random;
  uint64_t period_ns;    /* from one sample to the next */
  uint64_t price_ns;     /* of a sample */
  uint64_t lost_records; /* that had no room, of all kinds */
  uint64_t switches;     /* records of threads that were switched */
};

uint64_t cli_perf_rings_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The registers of user code that a sample has, in the order of their numbers: those by which frames are found. */
enum { USER_RBX, USER_RBP, USER_RSP, USER_RIP, USER_R12, USER_R13, USER_R14, USER_R15, USER_REGISTERS };
#define REGISTER_BIT(name) (UINT64_C(1) << PERF_REG_X86_##name)
#define REGISTERS                                                                                                      \
  (REGISTER_BIT(BX) | REGISTER_BIT(BP) | REGISTER_BIT(SP) | REGISTER_BIT(IP) | REGISTER_BIT(R12) | REGISTER_BIT(R13) | \
   REGISTER_BIT(R14) | REGISTER_BIT(R15))

/* Takes samples, or tells of programs, of mappings of code and of threads that wait. */
static struct perf_event_attr event_of(const struct cli_perf_rings *rings, bool samples)
{
  return (struct perf_event_attr){
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof(struct perf_event_attr),
      .config = samples ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_SW_DUMMY,
      .sample_period = samples ? rings->period_ns : 0,
      .read_format = rings->tells_lost ? FORMAT_LOST : 0,
      .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
      .sample_regs_user = REGISTERS,
      .sample_stack_user = CLI_STACK_SIZE,
      .disabled = 1,
      .inherit = 1,
      .exclude_kernel = !samples || !rings->in_kernel,
      .exclude_hv = 1,
      .mmap = !samples,
      .comm = !samples,
      .comm_exec = !samples,
      .context_switch = !samples,
      .enable_on_exec = 1,
      .sample_id_all = 1,
      .use_clockid = 1,
      .clockid = CLOCK_MONOTONIC,
  };
}

static int open_event(const struct cli_perf_rings *rings, int processor, bool samples)
{
  const struct perf_event_attr attributes = event_of(rings, samples);
  return (int)syscall(SYS_perf_event_open, &attributes, 0, processor, -1, PERF_FLAG_FD_CLOEXEC);
}

static int open_ring(struct cli_perf_rings *rings, int processor)
{
  struct ring *ring = &rings->rings[rings->count];
  int error = 0;
  ring->file = open_event(rings, processor, true);
  if (ring->file < 0 && rings->tells_lost && rings->count == 0 && errno == EINVAL) {
    rings->tells_lost = false;
    ring->file = open_event(rings, processor, true);
  }
  if (ring->file < 0 && rings->in_kernel && rings->count == 0 && (errno == EACCES || errno == EPERM)) {
    rings->in_kernel = false;
    ring->file = open_event(rings, processor, true);
  }
  if (ring->file < 0)
    return -errno;
  do
    ring->page = mmap(NULL, (rings->pages + 1) * rings->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->file, 0);
  while (ring->page == MAP_FAILED && errno == EPERM && rings->count == 0 && (rings->pages /= 2) >= RING_PAGES_LEAST);
  if (ring->page == MAP_FAILED) {
    error = -errno;
    close(ring->file);
    return error;
  }
  ring->mappings = open_event(rings, processor, false);
  if (ring->mappings < 0 || ioctl(ring->mappings, PERF_EVENT_IOC_SET_OUTPUT, ring->file) != 0)
    error = -errno;
  rings->count++;
  return error;
}

int cli_perf_rings_open(struct cli_perf_rings **opened, uint64_t period_ns, const struct cli_profiled *profiled)
{
  struct cli_perf_rings *rings = calloc(1, sizeof *rings);
  long processors = sysconf(_SC_NPROCESSORS_CONF);
  *opened = NULL;
  if (rings == NULL)
    return -ENOMEM;
  rings->events = (struct base_vector)BASE_VECTOR_OF(struct event);
  rings->map.mappings = (struct base_vector)BASE_VECTOR_OF(struct cli_mapping);
  cli_callers_init(&rings->callers, profiled);
  rings->waiting = (struct base_vector)BASE_VECTOR_OF(struct waiting);
  rings->in_kernel = rings->tells_lost = true;
  rings->period_ns = period_ns;
  rings->page_size = (size_t)sysconf(_SC_PAGESIZE);
  rings->pages = RING_PAGES;
  rings->rings = calloc((size_t)processors, sizeof *rings->rings);
  rings->record = malloc(UINT16_MAX + 1u);
  int error = rings->rings == NULL || rings->record == NULL ? -ENOMEM : 0;
  for (int i = 0; error == 0 && i < processors; i++) {
    error = open_ring(rings, i);
    /* A processor that is switched off. */
    if (error == -ENODEV)
      error = 0;
  }
  if (error == 0 && rings->count == 0)
    error = -ENODEV;
  if (error == 0) {
    const struct perf_event_attr samples = event_of(rings, true);
    rings->price_ns = cli_sample_price(&samples, rings->pages);
  }
  if (getrandom(&rings->random, sizeof rings->random, GRND_NONBLOCK) != sizeof rings->random)
    rings->random = cli_perf_rings_now();
  rings->random |= 1;
  if (error == 0)
    *opened = rings;
  else
    cli_perf_rings_close(rings);
  return error;
}

/* The `size` bytes of records at `position` of the ring, put together where they lie across its end. */
static const void *bytes_at(struct cli_perf_rings *rings, const struct ring *ring, uint64_t position, size_t size)
{
  const char *data = (const char *)ring->page + rings->page_size;
  size_t length = rings->pages * rings->page_size, at = (size_t)(position % length);
  if (at + size <= length)
    return data + at;
  memcpy(rings->record, data + at, length - at);
  memcpy(rings->record + (length - at), data, size - (length - at));
  return rings->record;
}

/* The fields of a record after its header, as open_event() asks for them. */
struct sample_fields {
  uint32_t pid, tid;
  uint64_t time;
  uint64_t abi; /* 0: of no user code, and then there are no registers */
};

struct user_fields {
  uint64_t registers[USER_REGISTERS];
  uint64_t size; /* of the stack; 0: none, and then nothing follows */
  uint64_t words[CLI_STACK_SIZE / 8];
  uint64_t there; /* bytes of the words that were read */
};

struct mapping_fields {
  uint32_t pid, tid;
  uint64_t start, size, offset;
  char path[];
};

struct lost_fields {
  uint64_t id, lost;
};

/* What stands at the end of each record that is no sample. */
struct record_end {
  uint32_t pid, tid;
  uint64_t time;
};

static int keep(struct cli_perf_rings *rings, const struct event *event)
{
  struct event *added = base_vector_add(&rings->events, 1);
  if (added == NULL) {
    cli_spare_stacks_give(&rings->spare, event->stack);
    return -ENOMEM;
  }
  *added = *event;
  return 0;
}

/* What is mapped where is known when all records before it were taken: until then the stack is kept. */
static int take_sample(struct cli_perf_rings *rings, const struct sample_fields *sample, size_t size,
                       struct event *event)
{
  const struct user_fields *user = (const void *)(sample + 1);
  *event = (struct event){.time = sample->time, .pid = sample->pid, .tid = sample->tid, .kind = EVENT_SAMPLE};
  if (sample->abi == PERF_SAMPLE_REGS_ABI_NONE || size < sizeof *sample + offsetof(struct user_fields, size))
    return 0;
  event->address = user->registers[USER_RIP];
  if (size < sizeof *sample + sizeof *user || user->size != CLI_STACK_SIZE)
    return 0;
  const uint64_t words = user->there < CLI_STACK_SIZE ? user->there / 8 : CLI_STACK_SIZE / 8;
  event->stack = cli_spare_stacks_take(&rings->spare);
  if (event->stack == NULL)
    return -ENOMEM;
  /* DWARF's numbers of the registers: System V ABI, AMD64 supplement, figure 3.36. */
  event->stack->registers = (struct cli_registers){.address = event->address,
                                                   .values = {[3] = user->registers[USER_RBX],
                                                              [6] = user->registers[USER_RBP],
                                                              [7] = user->registers[USER_RSP],
                                                              [12] = user->registers[USER_R12],
                                                              [13] = user->registers[USER_R13],
                                                              [14] = user->registers[USER_R14],
                                                              [15] = user->registers[USER_R15]},
                                                   .known = 1u << 3 | 1u << 6 | 1u << 7 | 0xF000u};
  event->stack->stack =
      (struct cli_stack){.start = user->registers[USER_RSP], .words = event->stack->words, .count = words};
  memcpy(event->stack->words, user->words, words * 8);
  return 0;
}

static int take_record(struct cli_perf_rings *rings, const struct perf_event_header *header,
                       struct cli_samples *samples)
{
  const void *fields = header + 1;
  struct record_end end;
  memcpy(&end, (const char *)header + header->size - sizeof end, sizeof end);
  struct event event = {.time = end.time, .pid = end.pid, .tid = end.tid};
  int error = 0;
  if (header->type == PERF_RECORD_SAMPLE) {
    error = take_sample(rings, fields, header->size - sizeof *header, &event);
  } else if (header->type == PERF_RECORD_MMAP) {
    const struct mapping_fields *mapping = fields;
    event.kind = EVENT_MAPPING;
    event.address = mapping->start;
    event.size = mapping->size;
    event.offset = mapping->offset;
    error = base_strings_add(samples->strings, mapping->path, &event.path);
  } else if (header->type == PERF_RECORD_COMM && header->misc & PERF_RECORD_MISC_COMM_EXEC) {
    event.kind = EVENT_EXEC;
  } else if (header->type == PERF_RECORD_SWITCH) {
    const bool waits = header->misc & PERF_RECORD_MISC_SWITCH_OUT && !(header->misc & MISC_PREEMPTED);
    event.kind = waits ? EVENT_WAIT : EVENT_RUN;
    rings->switches++;
  } else {
    if (header->type == PERF_RECORD_LOST)
      rings->lost_records += ((const struct lost_fields *)fields)->lost;
    return 0;
  }
  return error < 0 ? error : keep(rings, &event);
}

static int take_ring(struct cli_perf_rings *rings, struct ring *ring, struct cli_samples *samples)
{
  uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE), tail = ring->page->data_tail;
  int error = 0;
  while (error == 0 && tail < head) {
    uint16_t size =
        ((const struct perf_event_header *)bytes_at(rings, ring, tail, sizeof(struct perf_event_header)))->size;
    if (size < sizeof(struct perf_event_header) + sizeof(struct record_end) || size > head - tail)
      break;
    error = take_record(rings, bytes_at(rings, ring, tail, size), samples);
    tail += size;
  }
  __atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
  return error;
}

static int compare_events(const void *left, const void *right)
{
  const struct event *a = left, *b = right;
  if (a->time != b->time)
    return a->time < b->time ? -1 : 1;
  /* Code is mapped before it runs. */
  return (a->kind == EVENT_SAMPLE) - (b->kind == EVENT_SAMPLE);
}

/* What a thread waits counts when it is over. */
static int take_switch(struct cli_perf_rings *rings, const struct event *event, struct cli_samples *samples)
{
  uint32_t place = sym_address_map_get(&rings->threads, event->tid);
  if (place == UINT32_MAX) {
    place = rings->waiting.count;
    struct waiting *added = base_vector_add(&rings->waiting, 1);
    if (added == NULL || sym_address_map_put(&rings->threads, event->tid, place) < 0)
      return -ENOMEM;
    *added = (struct waiting){.tid = event->tid};
  }
  struct waiting *waiting = base_vector_at(&rings->waiting, place);
  if (event->kind == EVENT_RUN && waiting->since != 0 && event->time > waiting->since)
    samples->waited_ns += event->time - waiting->since;
  waiting->since = event->kind == EVENT_WAIT ? event->time : 0;
  return 0;
}

static int take_event(struct cli_perf_rings *rings, const struct cli_perf_looked *looked, const struct event *event,
                      struct cli_samples *samples)
{
  if ((event->kind == EVENT_EXEC || event->kind == EVENT_MAPPING) &&
      cli_unrecorded_note(looked->unrecorded, samples->strings, event->pid, event->path) < 0)
    return -ENOMEM;
  if (event->pid != (uint32_t)looked->pid) {
    if (event->kind == EVENT_SAMPLE)
      (*(event->pid == (uint32_t)getpid() ? &samples->sampler : &samples->others))++;
    return 0;
  }
  if (event->time >= looked->recorded) {
    samples->later += event->kind == EVENT_SAMPLE;
    return 0;
  }
  if (event->kind == EVENT_EXEC) {
    cli_code_map_clear(&rings->map);
    cli_callers_clear(&rings->callers);
    samples->programs++;
  }
  if (event->kind == EVENT_MAPPING) {
    bool is_module = cli_code_map_is_module(base_strings_at(samples->strings, event->path));
    const struct cli_mapping mapping = {.start = event->address,
                                        .end = event->address + event->size,
                                        .offset = event->offset,
                                        .module = is_module ? event->path : 0};
    return cli_code_map_add(&rings->map, &mapping);
  }
  if (event->kind == EVENT_WAIT || event->kind == EVENT_RUN)
    return take_switch(rings, event, samples);
  if (event->kind != EVENT_SAMPLE)
    return 0;
  const struct cli_registers bare = {.address = event->address};
  return cli_callers_count(&rings->callers, &rings->map, event->stack != NULL ? &event->stack->stack : NULL,
                           event->stack != NULL ? &event->stack->registers : &bare, samples);
}

/* Threads that still waited when recording ended. */
static void end_waits(const struct cli_perf_rings *rings, uint64_t recorded, struct cli_samples *samples)
{
  for (uint32_t i = 0; i < rings->waiting.count; i++) {
    const struct waiting *waiting = base_vector_at(&rings->waiting, i);
    if (waiting->since != 0 && waiting->since < recorded)
      samples->waited_ns += recorded - waiting->since;
  }
}

int cli_perf_rings_drain(struct cli_perf_rings *rings, const struct cli_perf_looked *looked,
                         struct cli_samples *samples)
{
  int error = 0;
  for (uint32_t i = 0; error == 0 && i < rings->count; i++)
    error = take_ring(rings, &rings->rings[i], samples);
  struct event *events = rings->events.data;
  uint32_t count = rings->events.count, taken = 0;
  if (count > 0)
    qsort(events, count, sizeof *events, compare_events);
  for (; error == 0 && taken < count && events[taken].time < looked->at; taken++) {
    error = take_event(rings, looked, &events[taken], samples);
    cli_spare_stacks_give(&rings->spare, events[taken].stack);
  }
  if (taken > 0)
    memmove(events, events + taken, (count - taken) * sizeof *events);
  rings->events.count -= taken;
  if (looked->at == UINT64_MAX && looked->recorded != UINT64_MAX)
    end_waits(rings, looked->recorded, samples);
  return error;
}

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled" (2016). */
static uint64_t next_random(uint64_t *state)
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 0x2545F4914F6CDD1Du;
}

static void switch_all(const struct cli_perf_rings *rings, unsigned long request)
{
  for (uint32_t i = 0; i < rings->count; i++)
    ioctl(rings->rings[i].file, request, 0);
}

void cli_perf_rings_shift(struct cli_perf_rings *rings)
{
  struct timespec pause = {.tv_nsec = (long)(next_random(&rings->random) % rings->period_ns)};
  switch_all(rings, PERF_EVENT_IOC_DISABLE);
  nanosleep(&pause, NULL);
  switch_all(rings, PERF_EVENT_IOC_ENABLE);
}

void cli_perf_rings_count(const struct cli_perf_rings *rings, struct cli_kernel_counts *counts)
{
  struct {
    uint64_t value, lost;
  } told;
  const ssize_t size = rings->tells_lost ? sizeof told : sizeof told.value;
  uint64_t lost_others = 0;
  *counts = (struct cli_kernel_counts){
      .period_ns = rings->period_ns,
      .price_ns = rings->price_ns,
      .lost_records = rings->lost_records,
      .lost_samples = rings->tells_lost ? 0 : UINT64_MAX,
      .switches = rings->switches,
      .in_kernel = rings->in_kernel,
  };
  for (uint32_t i = 0; i < rings->count; i++) {
    if (read(rings->rings[i].file, &told, (size_t)size) == size) {
      counts->counted_ns += told.value;
      counts->lost_samples += rings->tells_lost ? told.lost : 0;
    }
    if (rings->tells_lost && read(rings->rings[i].mappings, &told, (size_t)size) == size)
      lost_others += told.lost;
  }
  /* A ring tells what it lost when there is room again. */
  if (rings->tells_lost)
    counts->lost_records = counts->lost_samples + lost_others;
}

void cli_perf_rings_close(struct cli_perf_rings *rings)
{
  if (rings == NULL)
    return;
  for (uint32_t i = 0; i < rings->count; i++) {
    munmap(rings->rings[i].page, (rings->pages + 1) * rings->page_size);
    if (rings->rings[i].mappings >= 0)
      close(rings->rings[i].mappings);
    close(rings->rings[i].file);
  }
  for (uint32_t i = 0; i < rings->events.count; i++)
    cli_spare_stacks_give(&rings->spare, ((struct event *)base_vector_at(&rings->events, i))->stack);
  cli_spare_stacks_free(&rings->spare);
  base_vector_free(&rings->events);
  cli_code_map_free(&rings->map);
  cli_callers_free(&rings->callers);
  base_vector_free(&rings->waiting);
  sym_address_map_free(&rings->threads);
  free(rings->rings);
  free(rings->record);
  free(rings);
}
