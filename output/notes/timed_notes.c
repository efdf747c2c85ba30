/* Writes what a reader of times has to know where not all calls were timed. */
#include "output/notes/timed_notes.h"

#include <errno.h>

#include "output/profile/process.h"
#include "output/stats/slowdown.h"

struct timed {
  const struct callsig_stats *stats;
  bool of_table;
  out_note_fn note;
  void *data;
  struct out_text text;
  int result;
};

static void send(struct timed *notes)
{
  if (notes->result == 0 && notes->text.failed)
    notes->result = -ENOMEM;
  if (notes->result == 0)
    notes->result = notes->note(out_text_string(&notes->text), notes->data);
  out_text_clear(&notes->text);
}

/* "1.5", "2": parts of 1024 to the nearest hundredth. */
static void put_factor(struct timed *notes, uint32_t parts)
{
  uint64_t hundredths = ((uint64_t)parts * 100 + 512) / 1024;
  out_text_printf(&notes->text, "%llu", (unsigned long long)hundredths / 100);
  if (hundredths % 10)
    out_text_printf(&notes->text, ".%02u", (unsigned)(hundredths % 100));
  else if (hundredths % 100)
    out_text_printf(&notes->text, ".%u", (unsigned)(hundredths % 100 / 10));
}

/* A number that recordings have, from the least of them to the most; 0 is none. */
struct spread {
  uint32_t least, most;
};

static void widen(struct spread *spread, uint32_t number)
{
  if (number > 0 && (spread->most == 0 || number < spread->least))
    spread->least = number;
  if (number > spread->most)
    spread->most = number;
}

/* " (of short ones one in 64)", and of those recordings that had one the budget that was kept: " (of short ones one in
 * 64 to 512 at the fewest; budget: 1.5 times the program's own time)". */
static void put_choice(struct timed *notes)
{
  const struct out_profile *profile = &notes->stats->profile;
  struct spread one_in = {0}, budget = {0};
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    widen(&one_in, out_timed_one_in(out_profile_recording(profile, i)));
    widen(&budget, out_profile_recording(profile, i)->process.overhead);
  }
  if (one_in.most > 0) {
    out_text_printf(&notes->text, " (of short ones one in %u", one_in.least);
    if (one_in.least != one_in.most)
      out_text_printf(&notes->text, " to %u", one_in.most);
    out_text_puts(&notes->text, budget.most > 0 ? " at the fewest; " : ")");
  }
  if (budget.most == 0)
    return;
  out_text_puts(&notes->text, one_in.most > 0 ? "budget: " : " (budget: ");
  put_factor(notes, budget.least);
  if (budget.least != budget.most) {
    out_text_puts(&notes->text, " to ");
    put_factor(notes, budget.most);
  }
  out_text_puts(&notes->text, " times the program's own time)");
}

/* What the mark of uncertain rows means; `all` of them have it, shown or not. */
static void note_uncertain(struct timed *notes, uint64_t all)
{
  const uint64_t shown = notes->of_table ? notes->stats->printed_uncertain : all;
  if (shown == 0)
    return;
  out_text_printf(&notes->text, "%llu row%s with" OUT_UNCERTAIN_MARK, (unsigned long long)shown, shown == 1 ? "" : "s");
  if (shown < all)
    out_text_printf(&notes->text, ", and %llu not shown", (unsigned long long)(all - shown));
  out_text_puts(&notes->text, ": the error of tottime or cumtime is larger than the time itself, or unknown");
  send(notes);
}

/* What is said of times where not all calls were timed. */
static void tell_times(struct timed *notes)
{
  const struct callsig_stats *stats = notes->stats;
  uint64_t untimed = 0, uncertain = 0;
  for (uint32_t i = 0; i < stats->listed && stats->errors; i++) {
    const struct out_row_error *error = &stats->errors[stats->order[i]];
    untimed += error->untimed;
    uncertain += error->is_uncertain;
  }
  if (untimed == 0)
    return;
  out_text_printf(&notes->text, "%llu of %llu calls were timed, at random",
                  (unsigned long long)(stats->total.calls - untimed), (unsigned long long)stats->total.calls);
  put_choice(notes);
  out_text_puts(&notes->text, "; the others count with the time of those");
  if (!out_columns_have_errors(&stats->columns))
    out_text_puts(&notes->text, ": --columns +error shows what that leaves open");
  send(notes);
  note_uncertain(notes, uncertain);
  if (out_columns_are_of_timed_calls(&stats->columns)) {
    out_text_puts(&notes->text, "min, max and percentiles are those of the calls that were timed");
    send(notes);
  }
}

int out_timed_notes(const struct callsig_stats *stats, bool of_table, out_note_fn note, void *data)
{
  struct timed notes = {.stats = stats, .of_table = of_table, .note = note, .data = data};
  tell_times(&notes);
  out_text_free(&notes.text);
  return notes.result;
}
