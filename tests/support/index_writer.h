/*
 * Signature indexes made by hand, for tests of what reads them.
 */
#ifndef CALLSIG_TESTS_INDEX_WRITER_H
#define CALLSIG_TESTS_INDEX_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "format/index.h"

struct index_writer;

/* Allocation failures end the test. */
struct index_writer *index_writer_new(void);
void index_writer_free(struct index_writer *writer);

uint32_t index_writer_type(struct index_writer *writer, enum fmt_type_kind kind, const char *name, uint32_t size,
                           uint32_t target);
/* Adds to the type that was made last; in ascending order of values. */
void index_writer_enumerator(struct index_writer *writer, int64_t value, const char *name);

uint32_t index_writer_function(struct index_writer *writer, const char *file, uint32_t line, const char *name,
                               uint32_t flags);
/* Adds to the function that was made last. The result may be refined until the next call. */
struct fmt_index_arg *index_writer_arg(struct index_writer *writer, enum fmt_arg_kind kind, const char *name,
                                       uint32_t type);

/* Gives the function that was made last, with its args, an entry sled, as a compiler that counts its instructions does.
 */
void index_writer_sled(struct index_writer *writer, uint32_t instructions, uint8_t flags);

void index_writer_symbol(struct index_writer *writer, uint64_t address, uint64_t size, const char *name);
uint32_t index_writer_ranges(struct index_writer *writer, const int64_t *bounds, uint32_t count);
uint32_t index_writer_string(struct index_writer *writer, const char *text);

/* The finished index; the caller frees it. */
void *index_writer_finish(struct index_writer *writer, size_t *size);

#endif
