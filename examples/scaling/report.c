/*
 * A program that makes a report of n records: it makes them, sorts them, and writes one line for each into a text.
 *
 * write_report() is one loop over the records, and nothing in it looks quadratic. `callsig scaling` says that it is;
 * see docs/scaling.md. With -DREMEMBER_LENGTH the text knows its length, and the loop is what it looks like.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
  int key;
  char line[64];
};

/* A text of fixed capacity. */
struct text {
  char *data;
  size_t length, capacity;
};

static void append(struct text *text, const char *line)
{
#ifdef REMEMBER_LENGTH
  size_t length = text->length;
#else
  size_t length = strlen(text->data);
#endif
  size_t added = strlen(line);
  if (length + added + 1 > text->capacity)
    return;
  memcpy(text->data + length, line, added + 1);
  text->length = length + added;
}

static void make_records(struct record *records, int n)
{
  for (int i = 0; i < n; i++) {
    records[i].key = rand();
    snprintf(records[i].line, sizeof records[i].line, "record %d of %d: key %d, not yet looked at\n", i, n,
             records[i].key);
  }
}

__attribute__((no_instrument_function)) static int compare_records(const void *left, const void *right)
{
  const struct record *a = left, *b = right;
  return (a->key > b->key) - (a->key < b->key);
}

static void sort_records(struct record *records, int n)
{
  qsort(records, (size_t)n, sizeof *records, compare_records);
}

static void write_report(struct text *text, const struct record *records, int n)
{
  text->data[0] = '\0';
  text->length = 0;
  for (int i = 0; i < n; i++)
    append(text, records[i].line);
}

/* The report of n records. Nothing is written anywhere: this is about the time that it takes. */
static int report(int n)
{
  struct record *records = malloc((size_t)n * sizeof *records);
  struct text text = {.data = malloc((size_t)n * 64 + 1), .capacity = (size_t)n * 64 + 1};
  int made = records && text.data;
  if (made) {
    make_records(records, n);
    sort_records(records, n);
    write_report(&text, records, n);
  }
  free(records);
  free(text.data);
  return made;
}

/* Reports of sizes from 64 to 8192, each several times: of small ones more, which take no time. */
int main(void)
{
  for (int n = 64; n <= 8192; n *= 2)
    for (int repeat = 0; repeat < 8 + 8192 / n; repeat++)
      if (!report(n))
        return 1;
  return 0;
}
