/* Makes the lines of a long table in two threads, and writes them in order. */
#include "output/report/table_blocks.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "output/stats/prefetch.h"

/* Rows a block, blocks that are kept until their turn comes, and how many blocks are worth a thread. */
enum { ROWS = 1024, KEPT = 8, WORTH = 8 };

struct block {
  struct out_text text;
  bool made;
};

/* What the threads share. `lock` guards all but the texts, which belong to the thread that makes them until `made` is
 * set, and then to the one that writes. */
struct blocks {
  out_table_line_fn *line;
  struct out_table other; /* the second thread's */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct block kept[KEPT]; /* block i is kept[i % KEPT] */
  uint32_t count, next, written;
  bool given_up;
};

static int make_block(struct blocks *blocks, struct out_table *table, uint32_t number)
{
  struct out_text *text = &blocks->kept[number % KEPT].text;
  uint32_t first = number * ROWS, end = table->list.count - first < ROWS ? table->list.count : first + ROWS;
  out_text_clear(text);
  for (uint32_t i = first; i < end && !text->failed; i++) {
    out_prefetch_rows(&table->names, &table->stats->rows, table->list.rows + i, table->list.count - i);
    out_text_clear(&table->line);
    blocks->line(table, table->list.rows[i]);
    if (out_table_end_line(table) < 0)
      return -ENOMEM;
    out_text_add(text, table->line.data, table->line.length);
  }
  return text->failed ? -ENOMEM : 0;
}

/* Makes the next block, with the lock held on the way in and out. False when there is none to make now. */
static bool make_next(struct blocks *blocks, struct out_table *table)
{
  if (blocks->given_up || blocks->next == blocks->count || blocks->next - blocks->written == KEPT)
    return false;
  uint32_t number = blocks->next++;
  pthread_mutex_unlock(&blocks->lock);
  int result = make_block(blocks, table, number);
  pthread_mutex_lock(&blocks->lock);
  blocks->kept[number % KEPT].made = result == 0;
  blocks->given_up |= result < 0;
  pthread_cond_broadcast(&blocks->changed);
  return true;
}

/* A table of the same rows, with scratch memory of its own. */
static struct out_table share(const struct out_table *table)
{
  struct out_table other = *table;
  other.line = other.message = (struct out_text){0};
  other.scratch = (struct out_arguments){0};
  out_width_init(&other.cells);
  return other;
}

static void *help(void *data)
{
  struct blocks *blocks = data;
  pthread_mutex_lock(&blocks->lock);
  while (!blocks->given_up && blocks->next < blocks->count) {
    if (!make_next(blocks, &blocks->other))
      pthread_cond_wait(&blocks->changed, &blocks->lock);
  }
  pthread_mutex_unlock(&blocks->lock);
  return NULL;
}

/* Signals are for the program's own threads. */
static bool start_helper(struct blocks *blocks, pthread_t *helper)
{
  sigset_t all, before;
  sigfillset(&all);
  if (blocks->count < WORTH || pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
    return false;
  bool started = pthread_create(helper, NULL, help, blocks) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

/* Writes every block when its turn comes, and makes others meanwhile. */
static int write_all(struct blocks *blocks, struct out_table *table)
{
  int result = 0;
  pthread_mutex_lock(&blocks->lock);
  while (blocks->written < blocks->count && !blocks->given_up) {
    struct block *block = &blocks->kept[blocks->written % KEPT];
    if (!block->made) {
      if (!make_next(blocks, table))
        pthread_cond_wait(&blocks->changed, &blocks->lock);
      continue;
    }
    pthread_mutex_unlock(&blocks->lock);
    if (fwrite(block->text.data, 1, block->text.length, table->out) != block->text.length)
      result = -EIO;
    pthread_mutex_lock(&blocks->lock);
    block->made = false;
    blocks->written++;
    blocks->given_up |= result < 0;
    pthread_cond_broadcast(&blocks->changed);
  }
  pthread_mutex_unlock(&blocks->lock);
  return result == 0 && blocks->written < blocks->count ? -ENOMEM : result;
}

int out_table_put_rows(struct out_table *table, out_table_line_fn *line)
{
  struct blocks blocks = {.line = line,
                          .other = share(table),
                          .lock = PTHREAD_MUTEX_INITIALIZER,
                          .changed = PTHREAD_COND_INITIALIZER,
                          .count = table->list.count / ROWS + (table->list.count % ROWS != 0)};
  pthread_t helper;
  bool helped = start_helper(&blocks, &helper);
  int result = write_all(&blocks, table);
  if (helped)
    pthread_join(helper, NULL);
  out_text_free(&blocks.other.line);
  out_arguments_free(&blocks.other.scratch);
  out_width_free(&blocks.other.cells);
  for (uint32_t i = 0; i < KEPT; i++)
    out_text_free(&blocks.kept[i].text);
  return result;
}
