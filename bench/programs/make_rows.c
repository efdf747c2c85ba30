/*
 * Writes a recording with as many rows as are asked for: what the readers are timed with.
 *
 *   make_rows ROWS FILE [RANK RANKS POOL]
 *
 * main() calls each of a number of functions load_K(int n, int flags), and each load_K(n, flags) calls store_K with the
 * same arguments: a row for every function with every pair of arguments, 512 of each function, and an edge for each
 * row. The records lie in the file as the runtime lays them, in the order of their making; times and counts are spread
 * by a multiplicative hash, so that every order has to be sorted for.
 *
 * With RANK, it is the recording of one process of many, whose pid that is: of every five pairs of arguments four are
 * the same in all ranks, and the fifth is one of POOL that other ranks may have, too, or with POOL 0 one that no other
 * rank of RANKS has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/recording.h"
#include "tests/support/index_writer.h"

#define BASE UINT64_C(0x7f0000000000)

enum { SIGNATURES = 512, WORDS = 3 };

/* Which rank's rows they are. */
struct rank {
  uint64_t number, count; /* count 0: of no rank */
  uint64_t pool;
};

struct output {
  FILE *file;
  struct rank rank;
  uint64_t next; /* address of what is written next */
};

/* Records with room for their words. */
union edge {
  struct fmt_rec_edge record;
  uint64_t room[sizeof(struct fmt_rec_edge) / sizeof(uint64_t) + WORDS];
};

union signature {
  struct fmt_rec_signature record;
  uint64_t room[sizeof(struct fmt_rec_signature) / sizeof(uint64_t) + WORDS];
};

static uint64_t spread(uint64_t number)
{
  return (number * UINT64_C(0x9E3779B97F4A7C15)) >> 40;
}

/* As good as random: the finalizer of splitmix64. */
static uint64_t drawn(uint64_t number)
{
  number = (number ^ (number >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  number = (number ^ (number >> 27)) * UINT64_C(0x94D049BB133111EB);
  return number ^ (number >> 31);
}

/* The first argument of pair `number` of arguments: with the second, which is its number among its function's, no other
 * pair of the function has it. */
static uint64_t first_argument(const struct rank *rank, uint64_t number)
{
  const uint64_t common = spread(number) % 100000;
  if (rank->count == 0 || number % 5 != 4)
    return common;
  const uint64_t own = rank->pool ? drawn(drawn(number + 1) + rank->number) % rank->pool : rank->number;
  return 100000 + own;
}

/* Writes a record behind all others; the result is its address. */
static uint64_t put(struct output *output, const void *bytes, size_t size)
{
  static const char zeros[8];
  size_t rest = -size & 7;
  if (fwrite(bytes, 1, size, output->file) != size || fwrite(zeros, 1, rest, output->file) != rest) {
    perror("make_rows");
    exit(1);
  }
  uint64_t address = output->next;
  output->next += size + rest;
  return address;
}

static uint64_t put_name(struct output *output, const char *text)
{
  union {
    struct fmt_rec_name record;
    char room[sizeof(struct fmt_rec_name) + 64];
  } name = {.room = {0}};
  name.record.tag = (struct fmt_rec_tag){FMT_TAG_NAME, sizeof name};
  name.record.length = (uint32_t)strlen(text);
  memcpy(name.record.text, text, name.record.length);
  return put(output, &name, sizeof name);
}

static uint64_t put_function(struct output *output, uint64_t module, uint32_t number, uint64_t next)
{
  struct fmt_rec_function function = {.tag = {FMT_TAG_FUNCTION, sizeof function},
                                      .next = next,
                                      .module = module,
                                      .function = number,
                                      .address = 0x400000 + number * 64};
  return put(output, &function, sizeof function);
}

static uint64_t put_context(struct output *output, uint64_t parent, uint64_t function)
{
  struct fmt_rec_context context = {.tag = {FMT_TAG_CONTEXT, sizeof context}, .parent = parent, .function = function};
  return put(output, &context, sizeof context);
}

static uint64_t put_variant(struct output *output, uint64_t context, uint64_t signature)
{
  struct fmt_rec_variant variant = {
      .tag = {FMT_TAG_VARIANT, sizeof variant}, .context = context, .signature = signature};
  return put(output, &variant, sizeof variant);
}

static uint64_t put_signature(struct output *output, uint64_t function, uint64_t n, uint64_t flags)
{
  const uint64_t words[WORDS] = {0, n, flags};
  union signature signature = {
      .record = {.tag = {FMT_TAG_SIGNATURE, sizeof signature}, .function = function, .word_count = WORDS}};
  memcpy(signature.record.words, words, sizeof words);
  return put(output, &signature, sizeof signature);
}

/* An edge with `calls` calls of `ticks` each, of which `children` were spent in callees. */
static uint64_t put_edge(struct output *output, uint64_t from, uint64_t to, uint64_t next, uint64_t calls,
                         uint64_t ticks, uint64_t children)
{
  union edge edge = {.room = {0}};
  edge.record = (struct fmt_rec_edge){.tag = {FMT_TAG_EDGE, sizeof edge},
                                      .from = from,
                                      .to = to,
                                      .next = next,
                                      .calls = calls,
                                      .total = calls * ticks,
                                      .children = children,
                                      .min = ticks,
                                      .max = ticks,
                                      .word_count = WORDS};
  return put(output, &edge, sizeof edge);
}

/* The functions main, load_0, store_0, load_1 ... as an index. */
static void *make_index(uint32_t pairs, size_t *size)
{
  struct index_writer *writer = index_writer_new();
  uint32_t type = index_writer_type(writer, FMT_TYPE_SIGNED, "int", 4, FMT_NONE);
  index_writer_function(writer, "/src/rows/main.c", 1, "main", 0);
  for (uint32_t i = 0; i < 2 * pairs; i++) {
    char name[32], file[48];
    snprintf(name, sizeof name, "%s_%u", i % 2 ? "store" : "load", i / 2);
    snprintf(file, sizeof file, "/src/rows/part%u.c", i / 64);
    index_writer_function(writer, file, 10 + i % 64 * 20, name, 0);
    index_writer_arg(writer, FMT_ARG_VALUE, "n", type);
    index_writer_arg(writer, FMT_ARG_VALUE, "flags", type);
  }
  void *index = index_writer_finish(writer, size);
  index_writer_free(writer);
  return index;
}

static uint64_t put_module(struct output *output, uint32_t pairs)
{
  size_t size;
  void *index = make_index(pairs, &size);
  uint64_t copy = put(output, index, size);
  free(index);
  struct fmt_rec_module module = {.tag = {FMT_TAG_MODULE, sizeof module},
                                  .start = 0x400000,
                                  .end = 0x8000000,
                                  .path = put_name(output, "/usr/bin/rows"),
                                  .index = copy,
                                  .index_size = size};
  return put(output, &module, sizeof module);
}

/* The edges of one pair of functions, newest last; the result is the newest. */
static uint64_t put_pair(struct output *output, uint64_t caller, uint64_t parent, const uint64_t functions[2],
                         uint64_t first, uint32_t count, uint64_t newest)
{
  uint64_t contexts[2];
  contexts[0] = put_context(output, parent, functions[0]);
  contexts[1] = put_context(output, contexts[0], functions[1]);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t from = caller;
    uint64_t calls = 1 + spread(first + i) % 1000, ticks = 2 + spread(first + i + 7) % 5000;
    for (int k = 0; k < 2; k++) {
      uint64_t signature = put_signature(output, functions[k], first_argument(&output->rank, first + i), i);
      uint64_t to = put_variant(output, contexts[k], signature);
      newest = put_edge(output, from, to, newest, calls, ticks / (k ? 2 : 1), k ? 0 : calls * (ticks / 2));
      from = to;
    }
  }
  return newest;
}

static void write_tree(struct output *output, struct fmt_rec_header *header, uint64_t rows)
{
  const uint32_t pairs = (uint32_t)((rows + 2 * SIGNATURES - 2) / (2 * SIGNATURES));
  header->program = put_name(output, "/usr/bin/rows");
  header->first_module = put_module(output, pairs);
  struct fmt_rec_thread thread = {.tag = {FMT_TAG_THREAD, sizeof thread},
                                  .tid = 1,
                                  .state = FMT_THREAD_ENDED,
                                  .name = "rows",
                                  .end_ticks = 1,
                                  .threads = 1};
  uint64_t root = put_context(output, 0, 0);
  thread.root = put_variant(output, root, 0);
  thread.root_edge = thread.first_edge = put_edge(output, 0, thread.root, 0, 0, 0, 0);
  thread.first_function = put_function(output, header->first_module, 0, 0);
  uint64_t in_main = put_context(output, root, thread.first_function);
  struct fmt_rec_signature none = {.tag = {FMT_TAG_SIGNATURE, sizeof none}, .function = thread.first_function};
  uint64_t main_variant = put_variant(output, in_main, put(output, &none, sizeof none));
  for (uint64_t done = 0; done + 1 < rows;) {
    uint32_t pair = (uint32_t)(done / (2 * SIGNATURES));
    uint64_t left = (rows - 1 - done + 1) / 2, functions[2];
    for (uint32_t k = 0; k < 2; k++)
      thread.first_function = functions[k] =
          put_function(output, header->first_module, 1 + 2 * pair + k, thread.first_function);
    uint32_t count = left < SIGNATURES ? (uint32_t)left : SIGNATURES;
    thread.first_edge = put_pair(output, main_variant, in_main, functions, done / 2, count, thread.first_edge);
    done += 2 * count;
  }
  thread.first_edge = put_edge(output, thread.root, main_variant, thread.first_edge, 1, rows * 3000000, rows * 2500000);
  header->first_thread = put(output, &thread, sizeof thread);
}

int main(int argc, char **argv)
{
  if (argc != 3 && argc != 6) {
    fprintf(stderr, "usage: make_rows ROWS FILE [RANK RANKS POOL]\n");
    return 2;
  }
  struct output output = {.file = fopen(argv[2], "wb"), .next = BASE};
  if (!output.file) {
    perror(argv[2]);
    return 1;
  }
  if (argc == 6)
    output.rank = (struct rank){.number = strtoull(argv[3], NULL, 10),
                                .count = strtoull(argv[4], NULL, 10),
                                .pool = strtoull(argv[5], NULL, 10)};
  struct fmt_rec_header header = {.magic = FMT_RECORDING_MAGIC,
                                  .version = FMT_RECORDING_VERSION,
                                  .header_size = sizeof header,
                                  .base = BASE,
                                  .pid = 1 + (uint32_t)output.rank.number,
                                  .clock = FMT_CLOCK_MONOTONIC,
                                  .flags = FMT_REC_SIGNATURES | FMT_REC_FINISHED,
                                  .exit_status = 0,
                                  .timeline_min = UINT64_MAX};
  put(&output, &header, sizeof header);
  if (output.rank.count > 0) {
    header.rank_source = put_name(&output, "OMPI_COMM_WORLD_RANK");
    header.rank = (int64_t)output.rank.number;
  }
  write_tree(&output, &header, strtoull(argv[1], NULL, 10));
  header.next = header.reserved_size = output.next - BASE;
  if (fseek(output.file, 0, SEEK_SET) != 0)
    return 1;
  output.next = BASE;
  put(&output, &header, sizeof header);
  return fclose(output.file) == 0 ? 0 : 1;
}
