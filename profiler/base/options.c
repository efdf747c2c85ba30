/*
 * What was asked for: the environment, then callsig_start()'s options, then the defaults.
 */
#include "profiler/base/options.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/cache_key.h"
#include "format/duration.h"
#include "format/factor.h"
#include "format/hash.h"
#include "format/rank.h"
#include "format/recording.h"
#include "profiler/base/arena.h"
#include "profiler/base/clock.h"
#include "profiler/base/environment.h"
#include "profiler/base/message.h"
#include "profiler/base/settings.h"
#include "profiler/base/syscall.h"
#include "profiler/base/text.h"

#define DEFAULT_OUTPUT "callsig.out"
#define DEFAULT_MEMORY (UINT64_C(1) << 30)
#define LEAST_MEMORY   (UINT64_C(1) << 20)
#define DEFAULT_SPANS  UINT64_C(16384)
#define LEAST_SPANS    UINT64_C(256)
#define MOST_SPANS     (UINT64_C(1) << 24)
#define OPTIONS_MAX    4096u /* bytes of a structure of options: what is larger is none */
#define RULES_MAX      (UINT64_C(16) << 20)

/* The environment's word when it is there and not empty, else the program's own. */
static const char *either(const char *name, const char *option)
{
  const char *value = prof_environment(name);
  if (value && value[0])
    return value;
  return option && option[0] ? option : NULL;
}

static bool is_set(const char *name, int option)
{
  const char *value = prof_environment(name);
  if (!value || !value[0])
    return option != 0;
  return !prof_equal(value, "0");
}

/* `path` as an absolute path, so that a chdir() of the program does not move it. */
static void make_absolute(const char *name, const char *path, char *target)
{
  struct prof_text text = prof_text_begin(target, PROF_MAX_PATH);
  if (path[0] != '/') {
    const long length = PROF_SYSCALL2(SYS_getcwd, target, PROF_MAX_PATH);
    if (length <= 0 || target[0] != '/') {
      /* It was removed, or lies outside of the process's root: any other place would be a surprise. */
      prof_message("%s: the current folder has no path (error %ld): give an absolute one for %s", name,
                   length < 0 ? -length : 0L, path);
      target[0] = '\0';
      return;
    }
    text.next = target + length - 1;
    prof_text_add(&text, "/");
  }
  prof_text_add(&text, path);
  if (text.cut) {
    prof_message("%s: the path is longer than %u bytes: name a shorter one", name, PROF_MAX_PATH - 1);
    target[0] = '\0';
  }
}

static const char *copy_text(const char *text)
{
  if (!text)
    return NULL;
  size_t size = prof_length(text) + 1;
  char *copy = prof_process_alloc(size);
  if (!copy)
    prof_message("no memory for the options of %lu bytes: raise RLIMIT_AS", (unsigned long)size);
  for (size_t i = 0; copy && i < size; i++)
    copy[i] = text[i];
  return copy;
}

/* Bytes, or with K, M or G behind the number that many times 1024, its square or its cube. */
static uint64_t parse_memory(const char *text)
{
  uint64_t value = 0;
  const char *next = text;
  while (*next >= '0' && *next <= '9' && value < UINT64_C(1) << 40)
    value = value * 10 + (uint64_t)(*next++ - '0');
  unsigned shift = *next == 'K' ? 10 : *next == 'M' ? 20 : *next == 'G' ? 30 : 0;
  next += shift != 0;
  if (next == text || *next || value << shift >> shift != value || value << shift < LEAST_MEMORY) {
    prof_message("CALLSIG_MEMORY=%s is not a number of bytes of at least 1M, as in 512M: 1G is used", text);
    return DEFAULT_MEMORY;
  }
  return value << shift;
}

/* Of what `callsig run` says, so that what is no number is none. */
static uint64_t parse_number(const char *text)
{
  uint64_t value = 0;
  for (; text && *text >= '0' && *text <= '9'; text++)
    value = value * 10 + (uint64_t)(*text - '0');
  return text && !*text ? value : 0;
}

/* CALLSIG_WINDOW, of `callsig run`: two times of CLOCK_MONOTONIC in nanoseconds, FROM-TO, outside of which recording is
 * off. Does this moment lie outside? */
static bool is_outside(const char *window)
{
  const uint64_t now = prof_monotonic_ns();
  uint64_t times[2] = {0, 0};
  unsigned part = 0;
  for (; *window; window++) {
    if (*window == '-' && part == 0)
      part = 1;
    else if (*window >= '0' && *window <= '9')
      times[part] = times[part] * 10 + (uint64_t)(*window - '0');
    else
      return false;
  }
  return part == 1 && (now < times[0] || now >= times[1]);
}

static uint32_t parse_clock(const char *text, int cpu_clock)
{
  if (!text || !text[0])
    return cpu_clock ? FMT_CLOCK_CPU : prof_clock_wall();
  if (!prof_equal(text, "wall") && !prof_equal(text, "cpu"))
    prof_message("CALLSIG_CLOCK=%s is neither wall nor cpu: wall is used", text);
  return prof_equal(text, "cpu") ? FMT_CLOCK_CPU : prof_clock_wall();
}

/* Whether not every call is timed, and the budget. A clock other than the wall's is read at every call unless sampling
 * was asked for by name; so it is with a timeline, which would miss long calls. After the clock and the timeline. */
static void load_times(struct prof_settings *settings, const char *times, const char *overhead)
{
  bool is_exact = times && prof_equal(times, "exact");
  settings->sampling_asked = times && prof_equal(times, "auto");
  if (times && !is_exact && !settings->sampling_asked)
    prof_message("CALLSIG_TIMES=%s is neither auto nor exact: auto is used", times);
  bool every_call = settings->timeline || settings->clock == FMT_CLOCK_CPU || settings->clock == FMT_CLOCK_INJECTED;
  settings->sample_times = !is_exact && (!every_call || settings->sampling_asked);
  if (settings->sample_times && every_call)
    prof_message("times are sampled as CALLSIG_TIMES=auto says, %s",
                 settings->timeline ? "so that the timeline lacks calls that were not timed"
                                    : "though the clock is not the wall's: without it every call is timed");
  settings->overhead = 0;
  if (!overhead)
    return;
  if (!fmt_factor_parse(overhead, &settings->overhead)) {
    settings->overhead = 0;
    prof_message("CALLSIG_OVERHEAD=%s is not a number above 1, as in 1.5: there is no budget", overhead);
  } else if (!settings->sample_times) {
    settings->overhead = 0;
    prof_message("CALLSIG_OVERHEAD=%s: every call is timed, so that no budget can be kept: set CALLSIG_TIMES=auto",
                 overhead);
  }
}

/* The number of spans that a ring is to hold, as a power of two. */
static uint64_t spans_at_least(uint64_t wished)
{
  uint64_t spans = LEAST_SPANS;
  while (spans < wished && spans < MOST_SPANS)
    spans *= 2;
  return spans;
}

static uint64_t parse_spans(const char *text)
{
  uint64_t value = 0;
  const char *next = text;
  while (*next >= '0' && *next <= '9' && value < MOST_SPANS)
    value = value * 10 + (uint64_t)(*next++ - '0');
  if (next == text || *next || !value || value > MOST_SPANS) {
    prof_message("CALLSIG_TIMELINE_SPANS=%s is not a number of spans up to %lu: %lu are kept", text,
                 (unsigned long)MOST_SPANS, (unsigned long)DEFAULT_SPANS);
    return DEFAULT_SPANS;
  }
  return value;
}

/* The timeline's options; it needs a clock that is the same for all threads. */
static void load_timeline(struct prof_settings *settings, const char *least, uint64_t spans)
{
  settings->timeline = false;
  if (!least)
    return;
  if (settings->clock == FMT_CLOCK_CPU) {
    prof_message("there is no timeline of CPU time, which has no common beginning: use the wall clock");
    return;
  }
  settings->timeline = fmt_duration_parse(least, &settings->timeline_min_ns);
  if (!settings->timeline)
    prof_message("CALLSIG_TIMELINE=%s is not a duration as in 10us or 1ms: there is no timeline", least);
  const char *text = prof_environment("CALLSIG_TIMELINE_SPANS");
  spans = text && text[0] ? parse_spans(text) : spans;
  settings->timeline_spans = spans_at_least(spans ? spans : DEFAULT_SPANS);
}

/* XXH64 of the rules' text; 0 when there are none or they cannot be read, after a message. */
static uint64_t hash_rules(const char *path)
{
  struct stat status;
  uint64_t hash = 0;
  long data = 0;
  long fd = prof_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
  long error = fd < 0 ? fd : PROF_SYSCALL2(SYS_fstat, fd, &status);
  if (error == 0 && (!S_ISREG(status.st_mode) || (uint64_t)status.st_size > RULES_MAX))
    error = -EINVAL;
  size_t size = error == 0 ? (size_t)status.st_size : 0;
  if (error == 0 && size) {
    data = prof_sys_mmap(0, size, PROT_READ, MAP_PRIVATE, fd, 0);
    error = prof_sys_failed(data) ? data : 0;
  }
  if (error == 0)
    hash = fmt_hash(size ? (const void *)data : "", size);
  else
    prof_message("%s: the rules cannot be read (error %ld): see CALLSIG_RULES", path, -error);
  if (error == 0 && size)
    prof_sys_munmap((void *)data, size);
  if (fd >= 0)
    prof_sys_close(fd);
  return hash;
}

/* Which part of the call tree is recorded. */
static void load_bounds(struct prof_settings *settings, const char *below, const char *depth)
{
  settings->below = below && below[0] ? copy_text(below) : NULL;
  const uint64_t deepest = depth && depth[0] ? parse_number(depth) : 0;
  settings->depth = deepest <= UINT32_MAX ? (uint32_t)deepest : 0;
  if (depth && depth[0] && !settings->depth)
    prof_message("CALLSIG_DEPTH=%s is not a number of calls: calls of any depth are recorded", depth);
}

/* The cache's folder, as format/cache_key.h has it; "" when none of its variables is set. */
static void find_cache(char *target)
{
  static const struct {
    const char *variable, *below;
    bool relative; /* such a value counts */
  } places[] = {
      {"CALLSIG_CACHE_DIR", "", true}, {"XDG_CACHE_HOME", "/callsig", false}, {"HOME", "/.cache/callsig", false}};
  target[0] = '\0';
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    const char *value = prof_environment(places[i].variable);
    if (!value || !value[0] || (value[0] != '/' && !places[i].relative))
      continue;
    make_absolute(places[i].variable, value, target);
    struct prof_text text = {.start = target, .next = target + prof_length(target), .end = target + PROF_MAX_PATH};
    prof_text_add(&text, places[i].below);
    return;
  }
}

/* The command that makes indexes: the environment's, else the installed one, else the one in PATH. */
static void find_command(char *target)
{
  const char *command = prof_environment("CALLSIG_COMMAND");
  if (!command || !command[0])
    command =
        PROF_SYSCALL3(SYS_faccessat, AT_FDCWD, CALLSIG_COMMAND_PATH, X_OK) == 0 ? CALLSIG_COMMAND_PATH : "callsig";
  if (prof_base_name(command) != command) {
    make_absolute("CALLSIG_COMMAND", command, target);
    return;
  }
  struct prof_text text = prof_text_begin(target, PROF_MAX_PATH);
  prof_text_add(&text, command);
}

void prof_options_copy(void *target, size_t size, const void *source)
{
  const size_t given = *(const size_t *)source;
  for (size_t i = 0; i < size; i++)
    ((char *)target)[i] = i < given ? ((const char *)source)[i] : '\0';
}

int prof_options_check(const char *function, const void *source, size_t known)
{
  const size_t given = *(const size_t *)source;
  const unsigned char *bytes = source;
  if (given > OPTIONS_MAX) {
    prof_message("%s(): its options cannot be %lu bytes long: set `size` to the size of their structure", function,
                 (unsigned long)given);
    return -EINVAL;
  }
  for (size_t i = known; i < given; i++) {
    if (bytes[i]) {
      prof_message("%s(): this library (version " CALLSIG_VERSION
                   ") does not know an option that was set, in byte %lu of its structure: use the library of the "
                   "header that the program was compiled with, or leave the option 0",
                   function, (unsigned long)i);
      return -EINVAL;
    }
  }
  return 0;
}

/* What callsig_start() was given, copied: no field is later than the caller's structure is long. */
static struct callsig_options asked;

int prof_options_keep(const struct callsig_options *options)
{
  if (!options)
    return 0;
  if (options->size < sizeof options->size)
    return -EINVAL;
  int error = prof_options_check("callsig_start", options, sizeof asked);
  if (error)
    return error;
  prof_options_copy(&asked, sizeof asked, options);
  asked.output = copy_text(asked.output);
  asked.rules = copy_text(asked.rules);
  asked.include = copy_text(asked.include);
  asked.exclude = copy_text(asked.exclude);
  asked.timeline = copy_text(asked.timeline);
  asked.times = copy_text(asked.times);
  asked.overhead = copy_text(asked.overhead);
  return 0;
}

void prof_settings_load(struct prof_process *process)
{
  struct prof_settings *settings = &process->settings;
  prof_message_prepare();
  const char *output = either("CALLSIG_OUTPUT", asked.output);
  make_absolute("CALLSIG_OUTPUT", output ? output : DEFAULT_OUTPUT, settings->output);
  settings->run = parse_number(prof_environment("CALLSIG_RUN"));
  settings->indexed = parse_number(prof_environment("CALLSIG_INDEXED"));
  settings->rank = fmt_rank_find(prof_environment);
  if (settings->output[0] && !fmt_rank_name(&settings->rank, settings->output, sizeof settings->output)) {
    prof_message("CALLSIG_OUTPUT: there is no room for the rank behind the path: name a shorter one");
    settings->output[0] = '\0';
  }
  const char *rules = either("CALLSIG_RULES", asked.rules);
  settings->rules[0] = '\0';
  settings->rules_hash = 0;
  if (rules) {
    make_absolute("CALLSIG_RULES", rules, settings->rules);
    settings->rules_hash = settings->rules[0] ? hash_rules(settings->rules) : 0;
    if (!settings->rules_hash)
      settings->rules[0] = '\0';
  }
  settings->signatures = !is_set("CALLSIG_NO_SIGNATURES", asked.no_signatures);
  settings->start_disabled = is_set("CALLSIG_DISABLED", asked.start_disabled);
  const char *window = prof_environment("CALLSIG_WINDOW");
  settings->start_off = window && is_outside(window);
  if (settings->clock != FMT_CLOCK_INJECTED)
    settings->clock = parse_clock(prof_environment("CALLSIG_CLOCK"), asked.cpu_clock);
  const char *memory = prof_environment("CALLSIG_MEMORY");
  settings->memory_limit = memory && memory[0] ? parse_memory(memory) : asked.memory_limit;
  if (!settings->memory_limit)
    settings->memory_limit = DEFAULT_MEMORY;
  settings->call_sites = is_set("CALLSIG_SITES", asked.call_sites);
  settings->percentiles = is_set("CALLSIG_PERCENTILES", asked.percentiles);
  load_timeline(settings, either("CALLSIG_TIMELINE", asked.timeline), asked.timeline_spans);
  load_times(settings, either("CALLSIG_TIMES", asked.times), either("CALLSIG_OVERHEAD", asked.overhead));
  settings->include = copy_text(either("CALLSIG_INCLUDE", asked.include));
  settings->exclude = copy_text(either("CALLSIG_EXCLUDE", asked.exclude));
  const char *library_calls = prof_environment("CALLSIG_LIBRARY_CALLS");
  settings->asked = is_set("CALLSIG_ALLOC", 0);
  if (settings->asked && !(library_calls && library_calls[0]))
    library_calls = "malloc"; /* one of those that are counted then */
  settings->library_calls = library_calls && library_calls[0] ? copy_text(library_calls) : NULL;
  load_bounds(settings, prof_environment("CALLSIG_BELOW"), prof_environment("CALLSIG_DEPTH"));
  settings->rules_hash =
      fmt_index_made_by(settings->rules_hash, settings->library_calls != NULL,
                        settings->below ? fmt_hash(settings->below, prof_length(settings->below)) : 0);
  find_cache(settings->cache);
  find_command(settings->command);
}
