/* Reads what each thread did, so that no thread is missing, or counted twice, while threads end. */
#define _GNU_SOURCE
#include "output/pipeline/thread_parts.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "output/recording/live.h"

/* How long a thread may take to be folded: then its process was killed, or stopped, in the middle of it, and each count
 * is in one place or the other. */
#define PATIENCE_NS 2000000000L
#define PAUSE_NS    100000L

/* A part that refers to what lay behind the end of the file is read again, when that has moved, so many times. */
#define ATTEMPTS 8

/* A thread in the header's list. */
struct listed {
  uint64_t address;
  struct fmt_rec_thread record;
};

void out_thread_parts_init(struct out_thread_parts *parts, struct out_recording *recording,
                           struct out_stage_reader *lists)
{
  *parts = (struct out_thread_parts){
      .recording = recording, .lists = lists, .threads = BASE_VECTOR_OF(struct out_thread_part)};
}

static void free_histograms(struct out_tasks_part *tasks)
{
  out_histogram_free(&tasks->times);
  out_histogram_free(&tasks->gaps);
}

static void free_lists(struct out_thread_part *part)
{
  for (uint32_t i = 0; i < part->tasks.count; i++)
    free_histograms(base_vector_at(&part->tasks, i));
  for (uint32_t i = 0; i < part->uses.count; i++) {
    struct out_use_part *use = base_vector_at(&part->uses, i);
    out_histogram_free(&use->put);
    out_histogram_free(&use->get);
  }
  base_vector_free(&part->tasks);
  base_vector_free(&part->uses);
  base_vector_free(&part->counters);
}

void out_thread_parts_free(struct out_thread_parts *parts)
{
  for (uint32_t i = 0; i < parts->threads.count; i++)
    free_lists(base_vector_at(&parts->threads, i));
  base_vector_free(&parts->threads);
}

/* The bytes as the file has them now, however far it has grown. False: they are not there, or nobody writes to the file
 * any more, whose seal is to be asked then. */
static bool read_now(const struct out_recording *recording, uint64_t address, void *bytes, size_t size)
{
  uint64_t offset = address - recording->header.base;
  if (recording->copy || recording->check.is_sealed || address < recording->header.base || offset % 8 != 0 ||
      offset > INT64_MAX - size)
    return false;
  return pread(recording->windows.file, bytes, size, (off_t)offset) == (ssize_t)size;
}

uint64_t out_thread_folds(int file)
{
  uint32_t folds;
  return pread(file, &folds, sizeof folds, offsetof(struct fmt_rec_header, folds)) == sizeof folds ? folds : 0;
}

static uint64_t folds_of(const struct out_recording *recording)
{
  return recording->copy ? recording->header.folds : out_thread_folds(recording->windows.file);
}

/* header.period as the file has it now; recordings of earlier versions have none. */
static uint64_t period_of(const struct out_recording *recording)
{
  uint64_t period;
  const size_t offset = offsetof(struct fmt_rec_header, period);
  const bool has_period = recording->header.header_size >= offset + sizeof period;
  return has_period && read_now(recording, recording->header.base + offset, &period, sizeof period)
             ? period
             : recording->header.period;
}

static uint64_t newest_thread(const struct out_recording *recording)
{
  uint64_t address;
  const uint64_t place = recording->header.base + offsetof(struct fmt_rec_header, first_thread);
  return read_now(recording, place, &address, sizeof address) ? address : recording->header.first_thread;
}

static bool read_record(struct out_recording *recording, uint64_t address, struct fmt_rec_thread *record)
{
  if (read_now(recording, address, record, sizeof *record))
    return record->tag.tag == FMT_TAG_THREAD && record->tag.size >= sizeof *record;
  const struct fmt_rec_thread *kept = out_recording_record(recording, address, FMT_TAG_THREAD, sizeof *record);
  if (kept)
    *record = *kept;
  return kept != NULL;
}

/* The header's list as it is now. A list that leads back into itself, as a damaged one may, or one that changes, ends
 * there: Brent's way to notice. */
static int read_list(struct out_recording *recording, struct base_vector *list)
{
  uint64_t address = newest_thread(recording), mark = 0, steps = 0, limit = 2;
  list->count = 0;
  while (address) {
    struct listed *added = base_vector_add(list, 1);
    if (!added)
      return -ENOMEM;
    added->address = address;
    if (address == mark || !read_record(recording, address, &added->record)) {
      list->count--;
      recording->damaged++;
      break;
    }
    if (++steps == limit) {
      mark = address;
      limit *= 2;
    }
    address = added->record.next;
  }
  return 0;
}

/* Waits a moment. False when that has been done for too long. */
static bool pause_once(long *waited)
{
  const struct timespec pause = {.tv_nsec = PAUSE_NS};
  if (*waited >= PATIENCE_NS)
    return false;
  nanosleep(&pause, NULL);
  *waited += PAUSE_NS;
  return true;
}

/* Waits for a thread that is being folded. False when that has taken too long, or nobody is there to end it. */
static bool wait_for_fold(const struct out_recording *recording, long *waited)
{
  if (recording->copy || (*waited == 0 && !out_recording_is_live(recording->windows.file, recording->header.pid)))
    return false;
  return pause_once(waited);
}

/* The list at a moment without a fold, whose number becomes parts->folds; when there is none for too long, as it is. */
static int read_stable_list(struct out_thread_parts *parts, struct base_vector *list)
{
  long waited = 0;
  for (;;) {
    uint64_t damaged = parts->recording->damaged, folds = folds_of(parts->recording);
    int result = read_list(parts->recording, list);
    if (result < 0)
      return result;
    parts->folds = folds;
    parts->period = period_of(parts->recording);
    bool stable = folds % 2 == 0 && folds_of(parts->recording) == folds;
    if (stable || !wait_for_fold(parts->recording, &waited))
      return 0;
    parts->recording->damaged = damaged;
  }
}

int out_thread_parts_take_tasks(struct out_thread_parts *parts, const struct fmt_rec_tasks *record, uint32_t stage)
{
  struct out_tasks_part *added = base_vector_add(&parts->current->tasks, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct out_tasks_part){.stage = stage, .record = *record};
  added->has_work = out_stage_reader_work(parts->recording, record, &added->work);
  added->has_waits = out_stage_reader_waits(parts->recording, record, &added->waits);
  int result = out_histogram_load(&added->times, parts->recording, record->histogram);
  return result < 0 ? result : out_histogram_load(&added->gaps, parts->recording, record->gaps);
}

int out_thread_parts_take_use(struct out_thread_parts *parts, const struct fmt_rec_queue_use *record, uint32_t queue)
{
  struct out_use_part *added = base_vector_add(&parts->current->uses, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct out_use_part){.queue = queue, .record = *record};
  int result = out_histogram_load(&added->put, parts->recording, record->put_histogram);
  return result < 0 ? result : out_histogram_load(&added->get, parts->recording, record->get_histogram);
}

int out_thread_parts_take_counter(struct out_thread_parts *parts, const struct fmt_rec_counter_use *record,
                                  uint32_t counter, uint32_t stage)
{
  struct out_counter_part *added = base_vector_add(&parts->current->counters, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct out_counter_part){.counter = counter, .stage = stage, .record = *record};
  return 0;
}

/* Reads one thread's lists, anew when they were read before. Once threads have been folded, records may lie where those
 * of others were. */
static int read_part(struct out_thread_parts *parts, struct out_thread_part *part)
{
  struct out_recording *recording = parts->recording;
  const struct out_thread_lists lists = out_thread_lists_of(&part->record);
  parts->current = part;
  for (unsigned attempt = 1;; attempt++) {
    uint64_t damaged = recording->damaged;
    free_lists(part);
    if (attempt > 1 || folds_of(recording) != parts->folds_known)
      out_stage_reader_forget_threads(parts->lists);
    int result = out_stage_reader_thread(parts->lists, &lists);
    if (result < 0 || recording->damaged == damaged || attempt == ATTEMPTS || !out_recording_grow(recording))
      return result;
    recording->damaged = damaged;
  }
}

static int add_part(struct out_thread_parts *parts, const struct listed *listed)
{
  struct out_thread_part *part = base_vector_add(&parts->threads, 1);
  if (!part)
    return -ENOMEM;
  *part = (struct out_thread_part){.address = listed->address,
                                   .record = listed->record,
                                   .counts = listed->record.period == parts->period,
                                   .tasks = BASE_VECTOR_OF(struct out_tasks_part),
                                   .uses = BASE_VECTOR_OF(struct out_use_part),
                                   .counters = BASE_VECTOR_OF(struct out_counter_part)};
  return read_part(parts, part);
}

/* Most often it is the one at `*from`, which moves on. */
static struct out_thread_part *find_part(const struct out_thread_parts *parts, const struct listed *listed,
                                         uint32_t *from)
{
  const uint32_t count = parts->threads.count;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t place = (*from + i) % count;
    struct out_thread_part *part = base_vector_at(&parts->threads, place);
    if (part->address == listed->address && part->record.serial == listed->record.serial) {
      *from = place + 1;
      return part;
    }
  }
  return NULL;
}

/* Keeps of what was read that of threads which are still there, and reads the folded ones again, and those that count
 * from zero since. Threads that are new have their turn in the next reading. */
static int compare_list(struct out_thread_parts *parts, const struct base_vector *list)
{
  int result = 0;
  uint32_t from = 0;
  for (uint32_t i = 0; i < parts->threads.count; i++)
    ((struct out_thread_part *)base_vector_at(&parts->threads, i))->counts = false;
  for (uint32_t i = 0; i < list->count && result == 0; i++) {
    const struct listed *listed = base_vector_at(list, i);
    const bool folded = listed->record.state == FMT_THREAD_FOLDED;
    struct out_thread_part *part = find_part(parts, listed, &from);
    if (part) {
      const bool is_anew = part->record.period != listed->record.period;
      part->counts = listed->record.period == parts->period;
      part->record = listed->record;
      result = folded || is_anew ? read_part(parts, part) : 0;
    } else if (folded)
      result = add_part(parts, listed);
  }
  return result;
}

/* Until a moment is found at which the folded threads and the list belong together. */
static int settle(struct out_thread_parts *parts, struct base_vector *list)
{
  int result = 0;
  long waited = 0;
  /* Also when the process has ended meanwhile: its last threads were folded after they were read. */
  while (result == 0 && folds_of(parts->recording) != parts->folds && pause_once(&waited)) {
    (void)out_recording_grow(parts->recording);
    result = read_stable_list(parts, list);
    out_file_windows_forget(&parts->recording->windows);
    if (result == 0)
      result = compare_list(parts, list);
  }
  return result;
}

int out_thread_parts_read(struct out_thread_parts *parts)
{
  struct base_vector list = BASE_VECTOR_OF(struct listed);
  int result = read_stable_list(parts, &list);
  parts->folds_known = parts->folds;
  if (!parts->recording->copy) {
    (void)out_recording_grow(parts->recording);
    out_file_windows_forget(&parts->recording->windows);
  }
  for (uint32_t i = 0; i < list.count && result == 0; i++)
    result = add_part(parts, base_vector_at(&list, i));
  if (result == 0)
    result = settle(parts, &list);
  base_vector_free(&list);
  return result;
}
