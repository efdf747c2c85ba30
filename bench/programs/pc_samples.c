/*
 * pc_samples OUT HERTZ PROGRAM ARGUMENTS...: runs the program and writes to OUT, as JSON, in which of its functions it
 * was found HERTZ times a second of its CPU time, by perf_event_open. Time in a library or in the kernel is that of the
 * program's function that called it, which the frames on the stack tell.
 */
#define _GNU_SOURCE
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, STACK = 4096, REGISTERS = 17, MAX_CPUS = 1024, MAX_MAPS = 64, MAX_NAMES = 10000 };
/* Of a processor's ring. Who may not lock more has the smaller one, which a busy machine empties too late. */
enum { RING_PAGES = 128, PRIVILEGED_RING_PAGES = 1024 };

/* DWARF's registers 0 to 15 and the program counter, as perf numbers them. It gives them in the order of its own
 * numbers. */
static const unsigned perf_number[REGISTERS] = {0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8};

struct sample {
  uint64_t registers[REGISTERS]; /* by DWARF's numbers */
  uint64_t size;                 /* of what is known of the stack */
  uint8_t stack[STACK];
};

struct mapping {
  uint64_t address, offset;
  char path[PATH_MAX];
};

struct run {
  struct sample *samples;
  size_t count, room;
  uint64_t lost;
  size_t ring_size; /* of each processor's ring, in bytes */
  struct mapping maps[MAX_MAPS];
  size_t map_count;
};

/* How often each function was met. */
struct tally {
  const char *names[MAX_NAMES];
  uint64_t counts[MAX_NAMES];
  size_t used;
};

/* What the unwinder is asked about one sample. */
struct question {
  Dwfl *dwfl;
  Dwfl_Module *program;
  const struct sample *sample;
  pid_t thread;
  const char *found;
};

static void fail(const char *what)
{
  fprintf(stderr, "pc_samples: %s%s%s\n", what, errno ? ": " : "", errno ? strerror(errno) : "");
  exit(1);
}

static void fail_dwfl(const char *what)
{
  fprintf(stderr, "pc_samples: %s: %s\n", what, dwfl_errmsg(-1));
  exit(1);
}

static int open_counter(pid_t process, int cpu, uint64_t period, bool kernel)
{
  struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                 .size = sizeof attr,
                                 .config = PERF_COUNT_SW_CPU_CLOCK,
                                 .sample_period = period,
                                 .sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
                                 .sample_stack_user = STACK,
                                 .disabled = 1,
                                 .enable_on_exec = 1,
                                 .inherit = 1,
                                 .mmap = 1,
                                 .exclude_kernel = !kernel,
                                 .exclude_hv = 1};
  for (unsigned i = 0; i < REGISTERS; i++)
    attr.sample_regs_user |= UINT64_C(1) << perf_number[i];
  return (int)syscall(SYS_perf_event_open, &attr, process, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Copies from a ring, where a record may go round the end. */
static void copy_out(const struct run *run, const uint8_t *ring, uint64_t at, void *to, size_t size)
{
  for (size_t i = 0; i < size; i++)
    ((uint8_t *)to)[i] = ring[(at + i) % run->ring_size];
}

static void add_sample(struct run *run, const uint8_t *body)
{
  if (run->count == run->room) {
    run->room = run->room ? 2 * run->room : 1024;
    run->samples = realloc(run->samples, run->room * sizeof *run->samples);
    if (run->samples == NULL)
      fail("memory");
  }
  struct sample *sample = &run->samples[run->count];
  uint64_t word;
  memcpy(&word, body, sizeof word); /* the registers' width; 0: a thread of the kernel, without any */
  body += sizeof word;
  if (word == 0)
    return;
  for (unsigned i = 0; i < REGISTERS; i++) {
    unsigned place = 0;
    for (unsigned k = 0; k < REGISTERS; k++)
      place += perf_number[k] < perf_number[i];
    memcpy(&sample->registers[i], body + place * sizeof word, sizeof word);
  }
  body += REGISTERS * sizeof word;
  memcpy(&word, body, sizeof word); /* the room for the stack, its bytes, and how many of them are filled */
  sample->size = 0;
  if (word != 0) {
    memcpy(sample->stack, body + sizeof word, STACK);
    memcpy(&sample->size, body + sizeof word + word, sizeof word);
  }
  run->count++;
}

static void add_mapping(struct run *run, const uint8_t *body)
{
  uint64_t words[3]; /* address, length, offset, after pid and tid */
  memcpy(words, body + 8, sizeof words);
  const char *path = (const char *)body + 8 + sizeof words;
  size_t length = strlen(path);
  if (path[0] != '/')
    return;
  if (run->map_count == MAX_MAPS || length >= PATH_MAX)
    fail("the program maps too many files");
  struct mapping *map = &run->maps[run->map_count++];
  map->address = words[0];
  map->offset = words[2];
  memcpy(map->path, path, length + 1);
}

static void drain(struct run *run, struct perf_event_mmap_page *page)
{
  static uint8_t record[1 << 16];
  const uint8_t *ring = (const uint8_t *)page + PAGE;
  uint64_t end = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), at = page->data_tail;
  while (at < end) {
    struct perf_event_header header;
    copy_out(run, ring, at, &header, sizeof header);
    copy_out(run, ring, at, record, header.size);
    const uint8_t *body = record + sizeof header;
    if (header.type == PERF_RECORD_SAMPLE)
      add_sample(run, body);
    else if (header.type == PERF_RECORD_MMAP)
      add_mapping(run, body);
    else if (header.type == PERF_RECORD_LOST) {
      uint64_t lost;
      memcpy(&lost, body + sizeof lost, sizeof lost);
      run->lost += lost;
    }
    at += header.size;
  }
  __atomic_store_n(&page->data_tail, at, __ATOMIC_RELEASE);
}

/* Starts the program, which waits until something is written to `*go`. */
static pid_t start(char **arguments, int *go)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    fail("pipe");
  pid_t process = fork();
  if (process == 0) {
    char byte;
    if (read(ends[0], &byte, 1) == 1)
      execvp(arguments[0], arguments);
    _exit(127);
  }
  if (process < 0)
    fail("fork");
  close(ends[0]);
  *go = ends[1];
  return process;
}

/* Runs the program and collects its samples. Returns its status. */
static int collect(struct run *run, char **arguments, uint64_t period)
{
  static struct perf_event_mmap_page *pages[MAX_CPUS];
  static struct pollfd waited[MAX_CPUS];
  int go, status;
  run->ring_size = (geteuid() == 0 ? PRIVILEGED_RING_PAGES : RING_PAGES) * (size_t)PAGE;
  pid_t process = start(arguments, &go);
  long cpus = sysconf(_SC_NPROCESSORS_CONF);
  for (int cpu = 0; cpu < cpus && cpu < MAX_CPUS; cpu++) {
    int counter = open_counter(process, cpu, period, true);
    if (counter < 0 && errno == EACCES)
      counter = open_counter(process, cpu, period, false);
    if (counter < 0)
      fail("perf_event_open");
    pages[cpu] = mmap(NULL, PAGE + run->ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, counter, 0);
    if (pages[cpu] == MAP_FAILED)
      fail("the ring of samples");
    waited[cpu] = (struct pollfd){.fd = counter, .events = POLLIN};
  }
  if (write(go, "", 1) != 1)
    fail("pipe");
  pid_t ended;
  do {
    (void)poll(waited, (nfds_t)cpus, 5);
    ended = waitpid(process, &status, WNOHANG);
    for (int cpu = 0; cpu < cpus && cpu < MAX_CPUS; cpu++)
      drain(run, pages[cpu]);
  } while (ended == 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static pid_t next_thread(Dwfl *dwfl, void *data, void **thread_data)
{
  (void)dwfl;
  if (*thread_data != NULL)
    return 0;
  *thread_data = data;
  return ((struct question *)data)->thread;
}

static bool read_stack(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *data)
{
  (void)dwfl;
  const struct sample *sample = ((struct question *)data)->sample;
  uint64_t from = address - sample->registers[7];
  if (address < sample->registers[7] || from + sizeof *result > sample->size)
    return false;
  memcpy(result, sample->stack + from, sizeof *result);
  return true;
}

static bool set_registers(Dwfl_Thread *thread, void *data)
{
  const struct sample *sample = ((struct question *)data)->sample;
  Dwarf_Word registers[REGISTERS];
  for (unsigned i = 0; i < REGISTERS; i++)
    registers[i] = sample->registers[i];
  return dwfl_thread_state_registers(thread, 0, REGISTERS, registers);
}

/* The function of the program at this address, or NULL. */
static const char *function_at(const struct question *question, uint64_t pc)
{
  GElf_Off offset;
  GElf_Sym symbol;
  if (dwfl_addrmodule(question->dwfl, pc) != question->program)
    return NULL;
  const char *name = dwfl_module_addrinfo(question->program, pc, &offset, &symbol, NULL, NULL, NULL);
  return name != NULL && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && offset < symbol.st_size ? name : NULL;
}

static int look_at_frame(Dwfl_Frame *frame, void *data)
{
  struct question *question = data;
  Dwarf_Addr pc;
  bool activation;
  if (!dwfl_frame_pc(frame, &pc, &activation))
    return DWARF_CB_ABORT;
  question->found = function_at(question, activation ? pc : pc - 1);
  return question->found ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* The difference between where a file is mapped and its own addresses. */
static uint64_t bias_of(const struct mapping *map, int file)
{
  elf_version(EV_CURRENT);
  Elf *elf = elf_begin(file, ELF_C_READ, NULL);
  size_t count = 0;
  uint64_t bias = map->address - map->offset;
  if (elf == NULL || elf_getphdrnum(elf, &count) != 0)
    fail(map->path);
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD && (header.p_flags & PF_X))
      bias = map->address - map->offset - (header.p_vaddr - header.p_offset);
  }
  elf_end(elf);
  return bias;
}

/* Reports the files that the program had mapped; the first is the program. */
static Dwfl_Module *report_modules(Dwfl *dwfl, const struct run *run)
{
  Dwfl_Module *program = NULL;
  dwfl_report_begin(dwfl);
  for (size_t i = 0; i < run->map_count; i++) {
    int file = open(run->maps[i].path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
      continue;
    uint64_t bias = bias_of(&run->maps[i], file);
    Dwfl_Module *module = dwfl_report_elf(dwfl, run->maps[i].path, run->maps[i].path, file, bias, true);
    if (module == NULL)
      fail_dwfl(run->maps[i].path);
    if (program == NULL)
      program = module;
  }
  dwfl_report_end(dwfl, NULL, NULL);
  if (program == NULL)
    fail("the program's file is not known");
  return program;
}

static void count_function(struct tally *tally, const char *name)
{
  size_t i = 0;
  while (i < tally->used && strcmp(tally->names[i], name) != 0)
    i++;
  if (i == MAX_NAMES)
    fail("the program has too many functions");
  if (i == tally->used) {
    tally->names[i] = name;
    tally->used++;
  }
  tally->counts[i]++;
}

/* Tells for each sample in which function of the program it is. Returns in how many it cannot be told. */
static uint64_t attribute(const struct run *run, Dwfl *dwfl, struct tally *tally)
{
  static const Dwfl_Thread_Callbacks callbacks = {
      .next_thread = next_thread, .memory_read = read_stack, .set_initial_registers = set_registers};
  struct question question = {.dwfl = dwfl, .program = report_modules(dwfl, run), .thread = getpid()};
  uint64_t unknown = 0;
  if (!dwfl_attach_state(dwfl, NULL, question.thread, &callbacks, &question))
    fail_dwfl("the unwinder");
  for (size_t i = 0; i < run->count; i++) {
    question.sample = &run->samples[i];
    question.found = function_at(&question, run->samples[i].registers[REGISTERS - 1]);
    if (question.found == NULL)
      (void)dwfl_getthread_frames(dwfl, question.thread, look_at_frame, &question);
    if (question.found != NULL)
      count_function(tally, question.found);
    else
      unknown++;
  }
  return unknown;
}

int main(int argc, char **argv)
{
  static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                           .find_debuginfo = dwfl_standard_find_debuginfo,
                                           .section_address = dwfl_offline_section_address};
  static struct run run;
  static struct tally tally;
  double hertz = argc > 3 ? atof(argv[2]) : 0;
  if (!(hertz >= 1)) {
    fprintf(stderr, "usage: pc_samples OUT HERTZ PROGRAM ARGUMENTS...\n");
    return 2;
  }
  int status = collect(&run, argv + 3, (uint64_t)(1e9 / hertz));
  Dwfl *dwfl = dwfl_begin(&callbacks);
  if (dwfl == NULL)
    fail_dwfl("libdwfl");
  uint64_t unknown = attribute(&run, dwfl, &tally);
  FILE *out = fopen(argv[1], "w");
  if (out == NULL)
    fail(argv[1]);
  fprintf(out, "{\"samples\": %zu, \"lost\": %llu, \"unknown\": %llu, \"functions\": {", run.count,
          (unsigned long long)run.lost, (unsigned long long)unknown);
  for (size_t i = 0; i < tally.used; i++)
    fprintf(out, "%s\"%s\": %llu", i ? ", " : "", tally.names[i], (unsigned long long)tally.counts[i]);
  fprintf(out, "}}\n");
  dwfl_end(dwfl);
  return fclose(out) == 0 ? status : 1;
}
