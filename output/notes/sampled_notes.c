/* Writes what a reader of sampled times has to know. */
#include "output/notes/sampled_notes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "output/beside/in_place.h"
#include "output/text/text.h"

/* Where samples and the kernel's account differ by more, it is said. */
#define LARGEST_GAP 0.03

/* Of a normal distribution, 95 of 100 values are within so many standard deviations. */
#define NORMAL_95 1.959964

struct telling {
  const struct out_profile *profile;
  const struct out_sampled_run *run;
  const char *prefix;
  out_note_fn note;
  void *data;
  struct out_text text; /* the note so far */
  int result;
};

static void begin(struct telling *telling)
{
  out_text_clear(&telling->text);
  out_text_puts(&telling->text, telling->prefix);
}

static void send(struct telling *telling)
{
  if (telling->result == 0)
    telling->result = telling->text.failed ? -ENOMEM : telling->note(out_text_string(&telling->text), telling->data);
}

/* "12.3 %" */
static void put_percent(struct telling *telling, double percent)
{
  unsigned long long tenths = (unsigned long long)(percent * 10 + 0.5);
  out_text_printf(&telling->text, "%llu.%llu %%", tenths / 10, tenths % 10);
}

/* Seconds that a number of samples stands for. */
static double seconds(const struct telling *telling, uint64_t samples)
{
  return (double)samples * (double)telling->run->head.period / 1024e9;
}

/* Which CPU time the samples are of. */
static const char *cpu_time(const struct telling *telling)
{
  return telling->run->head.flags & FMT_SAMPLES_KERNEL ? "CPU time" : "user CPU time";
}

static void tell_method(struct telling *telling, double sampled, double used)
{
  const struct fmt_rec_samples *head = &telling->run->head;
  begin(telling);
  out_text_printf(&telling->text, "times are those of %s run beside without hooks: %llu samples %s, ",
                  out_profile_string(telling->profile, telling->run->program), (unsigned long long)head->samples,
                  head->method == FMT_SAMPLES_PERF ? "by the kernel's timer" : "by stopping its threads");
  out_text_fixed(&telling->text, sampled, 0);
  out_text_puts(&telling->text, " of ");
  out_text_fixed(&telling->text, used, 0);
  out_text_printf(&telling->text, " seconds of %s", cpu_time(telling));
  send(telling);
}

static void tell_source(struct telling *telling)
{
  const struct fmt_rec_samples *head = &telling->run->head;
  double sampled = seconds(telling, head->samples + head->others), used = (double)head->used_ns / 1e9;
  if (head->samples == 0) {
    begin(telling);
    out_text_printf(&telling->text,
                    "no sample was taken of %s run beside, which ended too soon: the times are those of this run",
                    out_profile_string(telling->profile, telling->run->program));
    send(telling);
    return;
  }
  tell_method(telling, sampled, used);
  begin(telling);
  out_text_puts(&telling->text, "own times of t seconds are within ");
  out_text_fixed(&telling->text, NORMAL_95 * sqrt(seconds(telling, 1)), 0);
  out_text_puts(&telling->text, " * sqrt(t) seconds in 95 of 100 functions");
  send(telling);
  if (fabs(sampled - used) <= LARGEST_GAP * used)
    return;
  begin(telling);
  out_text_puts(&telling->text, "the samples stand for ");
  put_percent(telling, used > 0 ? 100 * sampled / used : 0);
  out_text_printf(&telling->text, " of that run's %s: take the shares of the times, and not their seconds",
                  cpu_time(telling));
  send(telling);
}

static int describe_status(int status)
{
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void tell_differences(struct telling *telling, const struct out_recording_info *info)
{
  const struct fmt_rec_samples *head = &telling->run->head;
  const struct {
    uint32_t flag;
    const char *text;
  } differences[] = {
      {FMT_SAMPLES_OTHER_OUTPUT, "the run beside wrote something else to standard output: they did not do the same"},
      {FMT_SAMPLES_OTHER_BUILD, "the run beside was of another build: functions meet by name, file and line"},
  };
  if (head->flags & FMT_SAMPLES_OTHER_STATUS) {
    begin(telling);
    out_text_printf(&telling->text, "the run beside ended with status %d, this one with %d: they did not do the same",
                    describe_status(head->exit_status), describe_status(info->exit_status));
    send(telling);
  }
  for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++) {
    if (!(head->flags & differences[i].flag))
      continue;
    begin(telling);
    out_text_puts(&telling->text, differences[i].text);
    send(telling);
  }
  if (head->lost > 0) {
    begin(telling);
    out_text_printf(&telling->text, "%llu samples of the run beside were lost for want of space",
                    (unsigned long long)head->lost);
    send(telling);
  }
}

/* A module whose code has samples without rows. */
struct elsewhere {
  uint32_t module; /* place */
  uint64_t samples;
};

static int compare_elsewhere(const void *left, const void *right)
{
  const struct elsewhere *a = left, *b = right;
  if (a->samples != b->samples)
    return a->samples < b->samples ? 1 : -1;
  return (a->module > b->module) - (a->module < b->module);
}

/* `where` and `name` are what follows the time. */
static void tell_place(struct telling *telling, uint64_t samples, const char *where, const char *name)
{
  if (samples == 0)
    return;
  begin(telling);
  out_text_puts(&telling->text, "elsewhere: ");
  out_text_fixed(&telling->text, seconds(telling, samples), 0);
  out_text_puts(&telling->text, " seconds (");
  put_percent(telling, 100 * (double)samples / (double)(telling->run->head.samples + telling->run->head.others));
  out_text_printf(&telling->text, ") in %s%s", where, name);
  send(telling);
}

/* What the run did in calls of hooks was a library's, which does nothing in them. */
static void tell_module(struct telling *telling, const struct elsewhere *module)
{
  const struct out_place *place = out_profile_place(telling->profile, telling->run->first + module->module);
  const char *name = out_profile_string(telling->profile, place->name);
  if (strcmp(name, FMT_OWN_CODE) == 0)
    tell_place(telling, module->samples, "calls of hooks, which did nothing", "");
  else
    tell_place(telling, module->samples, "code without rows of ", name);
}

static void tell_elsewhere(struct telling *telling)
{
  const struct out_sampled_run *run = telling->run;
  struct elsewhere *modules = calloc(run->count + 1u, sizeof *modules);
  uint32_t *module_of = calloc(run->count + 1u, sizeof *module_of), count = 0;
  if (!modules || !module_of)
    telling->result = -ENOMEM;
  for (uint32_t i = 0; i < run->count && telling->result == 0; i++) {
    const struct out_place *place = out_profile_place(telling->profile, run->first + i);
    module_of[i] = place->parent == FMT_NONE ? count : module_of[place->parent];
    if (place->parent == FMT_NONE)
      modules[count++].module = i;
    if (place->row == FMT_NONE)
      modules[module_of[i]].samples += place->samples;
  }
  if (telling->result == 0)
    qsort(modules, count, sizeof *modules, compare_elsewhere);
  for (uint32_t i = 0; i < count && telling->result == 0; i++)
    tell_module(telling, &modules[i]);
  free(modules);
  free(module_of);
  tell_place(telling, run->head.unmapped, "code that is of no file", "");
  tell_place(telling, run->head.others, "processes that it started", "");
}

static void tell_own_run(struct telling *telling)
{
  const struct out_in_place_samples samples = out_in_place_samples(telling->profile, telling->run);
  begin(telling);
  out_text_printf(&telling->text, "of %llu samples of the run %llu were in hooks: times are the program's own by that",
                  (unsigned long long)samples.all, (unsigned long long)samples.hooks);
  if (telling->run->head.lost > 0)
    out_text_printf(&telling->text, "; %llu more were lost for want of space",
                    (unsigned long long)telling->run->head.lost);
  if (telling->run->head.flags & FMT_SAMPLES_LOST_WAITS)
    out_text_puts(&telling->text, "; switches of threads were lost, too: what they waited is estimated");
  send(telling);
}

int out_sampled_notes(const struct out_profile *profile, const struct out_recording_info *info, bool is_compensated,
                      const char *prefix, out_note_fn note, void *data)
{
  if (info->sampled == FMT_NONE)
    return 0;
  struct telling telling = {.profile = profile,
                            .run = out_profile_sampled_run(profile, info->sampled),
                            .prefix = prefix,
                            .note = note,
                            .data = data};
  if (!(telling.run->head.flags & FMT_SAMPLES_OWN_RUN)) {
    tell_source(&telling);
    tell_differences(&telling, info);
    tell_elsewhere(&telling);
  } else if (is_compensated && telling.run->head.samples > 0)
    tell_own_run(&telling);
  out_text_free(&telling.text);
  return telling.result;
}
