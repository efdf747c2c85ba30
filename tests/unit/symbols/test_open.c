/* Indexes that are not what the writer writes: test_open ELF, where ELF is an instrumented program. */
/* ctest: arguments $<TARGET_FILE:symbols_sample> */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "format/open.h"
#include "symbols/index/build.h"

static const char *program;

/* A fresh copy of a good index. */
struct fixture {
  unsigned char *bytes;
  size_t size;
};

static int set_up(void **state)
{
  static struct fixture original;
  if (!original.bytes && sym_index_build(program, NULL, (void **)&original.bytes, &original.size) != 0)
    return -1;
  struct fixture *fixture = calloc(1, sizeof *fixture);
  fixture->size = original.size;
  fixture->bytes = malloc(original.size);
  memcpy(fixture->bytes, original.bytes, original.size);
  *state = fixture;
  return 0;
}

static int tear_down(void **state)
{
  struct fixture *fixture = *state;
  free(fixture->bytes);
  free(fixture);
  return 0;
}

static struct fmt_index_header *header_of(const struct fixture *fixture)
{
  return (struct fmt_index_header *)(void *)fixture->bytes;
}

/* Makes the checksum right again, so that what lies behind it is reached. */
static void seal(const struct fixture *fixture)
{
  struct fmt_index_header *header = header_of(fixture);
  header->checksum = XXH64(fixture->bytes + sizeof *header, fixture->size - sizeof *header, 0);
}

static int open_index(const struct fixture *fixture)
{
  struct fmt_index index;
  return fmt_index_open(fixture->bytes, fixture->size, &index);
}

static void *section(const struct fixture *fixture, enum fmt_index_section_id id)
{
  return fixture->bytes + header_of(fixture)->sections[id].offset;
}

static void test_good(void **state)
{
  struct fmt_index index;
  const struct fixture *fixture = *state;
  assert_int_equal(fmt_index_open(fixture->bytes, fixture->size, &index), 0);
  assert_true(index.count[FMT_SECTION_SITES] > 10);
  const struct fmt_index_site *site = &index.sites[index.count[FMT_SECTION_SITES] / 2];
  assert_ptr_equal(fmt_index_site_at(&index, site->pc), site);
  assert_null(fmt_index_site_at(&index, site->pc + 1));
  assert_null(fmt_index_site_at(&index, UINT64_MAX));
  const struct fmt_index_symbol *symbol = &index.symbols[0];
  assert_ptr_equal(fmt_index_symbol_at(&index, symbol->address), symbol);
  assert_null(fmt_index_symbol_at(&index, symbol->address - 1));
  assert_null(fmt_index_symbol_at(&index, UINT64_MAX));
}

static void test_header(void **state)
{
  const struct fixture *fixture = *state;
  struct fmt_index_header *header = header_of(fixture), good = *header;
  header->magic[0] ^= 1;
  assert_int_equal(open_index(fixture), -EINVAL);
  *header = good;
  header->version++;
  assert_int_equal(open_index(fixture), -ENOTSUP);
  *header = good;
  header->version--;
  assert_int_equal(open_index(fixture), -EINVAL);
  *header = good;
  header->file_size--;
  assert_int_equal(open_index(fixture), -EINVAL);
  *header = good;
  header->checksum ^= 1;
  assert_int_equal(open_index(fixture), -EINVAL);
  *header = good;
  header->build_id_size = 33;
  assert_int_equal(open_index(fixture), -EINVAL);
  *header = good;
  header->section_count--;
  assert_int_equal(open_index(fixture), -EINVAL);
  *header = good;
  assert_int_equal(open_index(fixture), 0);
}

static void test_sections(void **state)
{
  const struct fixture *fixture = *state;
  struct fmt_index_header *header = header_of(fixture), good = *header;
  for (unsigned i = 0; i < FMT_SECTION_COUNT; i++) {
    header->sections[i].offset = fixture->size + 8;
    assert_int_equal(open_index(fixture), -EINVAL);
    *header = good;
    header->sections[i].offset += 4;
    assert_int_equal(open_index(fixture), -EINVAL);
    *header = good;
    header->sections[i].offset = 0;
    assert_int_equal(open_index(fixture), -EINVAL);
    *header = good;
    header->sections[i].count = UINT32_MAX;
    assert_int_equal(open_index(fixture), -EINVAL);
    *header = good;
    header->sections[i].entry_size++;
    assert_int_equal(open_index(fixture), -EINVAL);
    *header = good;
  }
}

static void test_truncated(void **state)
{
  const struct fixture *fixture = *state;
  for (size_t size = 0; size < fixture->size; size += size < 1024 ? 1 : 257) {
    /* An exact allocation, so that a sanitizer sees every byte that is read beyond it. */
    struct fixture part = {.bytes = malloc(size + 1), .size = size};
    memcpy(part.bytes, fixture->bytes, size);
    assert_int_equal(open_index(&part), -EINVAL);
    free(part.bytes);
  }
}

#define ASSERT_REFUSED(fixture, lvalue, value)                                                                         \
  do {                                                                                                                 \
    __typeof__(lvalue) good_ = (lvalue);                                                                               \
    (lvalue) = (value);                                                                                                \
    seal(fixture);                                                                                                     \
    assert_int_equal(open_index(fixture), -EINVAL);                                                                    \
    (lvalue) = good_;                                                                                                  \
    seal(fixture);                                                                                                     \
    assert_int_equal(open_index(fixture), 0);                                                                          \
  } while (0)

static void test_references(void **state)
{
  const struct fixture *fixture = *state;
  const struct fmt_index_section *sections = header_of(fixture)->sections;
  struct fmt_index_site *site = section(fixture, FMT_SECTION_SITES);
  ASSERT_REFUSED(fixture, site[0].function, sections[FMT_SECTION_FUNCTIONS].count);
  ASSERT_REFUSED(fixture, site[0].physical, sections[FMT_SECTION_PHYSICALS].count);
  ASSERT_REFUSED(fixture, site[0].first_op, UINT32_MAX);
  ASSERT_REFUSED(fixture, site[0].op_count, UINT16_MAX);
  ASSERT_REFUSED(fixture, site[0].first_state, UINT32_MAX);
  ASSERT_REFUSED(fixture, site[0].first_saved, UINT32_MAX);
  ASSERT_REFUSED(fixture, site[0].cfa_kind, FMT_CFA_MEMORY + 1);
  ASSERT_REFUSED(fixture, site[0].cfa_register, 16);
  ASSERT_REFUSED(fixture, site[1].pc, site[0].pc);
  struct fmt_index_function *function = section(fixture, FMT_SECTION_FUNCTIONS);
  ASSERT_REFUSED(fixture, function[0].name, sections[FMT_SECTION_STRINGS].count);
  ASSERT_REFUSED(fixture, function[0].file, UINT32_MAX);
  ASSERT_REFUSED(fixture, function[0].first_arg, UINT32_MAX);
  ASSERT_REFUSED(fixture, function[0].state_words, 77);
  struct fmt_index_arg *arg = section(fixture, FMT_SECTION_ARGS);
  ASSERT_REFUSED(fixture, arg[0].type, sections[FMT_SECTION_TYPES].count);
  ASSERT_REFUSED(fixture, arg[0].kind, FMT_ARG_IGNORED + 1);
  ASSERT_REFUSED(fixture, arg[0].join, 1000);
  ASSERT_REFUSED(fixture, arg[0].children, 1000);
  struct fmt_index_type *type = section(fixture, FMT_SECTION_TYPES);
  ASSERT_REFUSED(fixture, type[0].target, sections[FMT_SECTION_TYPES].count);
  ASSERT_REFUSED(fixture, type[0].first_enumerator, UINT32_MAX);
  struct fmt_index_physical *physical = section(fixture, FMT_SECTION_PHYSICALS);
  ASSERT_REFUSED(fixture, physical[0].high, physical[0].low);
  ASSERT_REFUSED(fixture, physical[1].low, physical[0].low);
  struct fmt_index_symbol *symbol = section(fixture, FMT_SECTION_SYMBOLS);
  ASSERT_REFUSED(fixture, symbol[0].name, UINT32_MAX);
  ASSERT_REFUSED(fixture, symbol[1].address, symbol[0].address);
  struct fmt_op *op = section(fixture, FMT_SECTION_OPS);
  ASSERT_REFUSED(fixture, op[0].skip, 0);
  ASSERT_REFUSED(fixture, op[0].skip, UINT16_MAX);
  ASSERT_REFUSED(fixture, op[0].arg, UINT16_MAX);
  ASSERT_REFUSED(fixture, op[0].code, FMT_OP_COUNT);
  char *strings = section(fixture, FMT_SECTION_STRINGS);
  ASSERT_REFUSED(fixture, strings[0], 'x');
  ASSERT_REFUSED(fixture, strings[sections[FMT_SECTION_STRINGS].count - 1], 'x');
}

/* Whatever is accepted can be walked: every reference leads somewhere. */
static uint64_t walk(const struct fmt_index *index)
{
  uint64_t sum = strlen(fmt_index_string(index, index->header->path));
  for (uint32_t i = 0; i < index->count[FMT_SECTION_SITES]; i++) {
    const struct fmt_index_site *site = &index->sites[i];
    const struct fmt_index_function *function = &index->functions[site->function];
    sum += strlen(fmt_index_string(index, function->name)) + strlen(fmt_index_string(index, function->file));
    for (uint32_t k = 0; k < function->arg_count; k++) {
      const struct fmt_index_arg *arg = &index->args[function->first_arg + k];
      const struct fmt_index_type *type = &index->types[arg->type];
      sum += strlen(fmt_index_string(index, arg->name)) + strlen(fmt_index_string(index, arg->text));
      sum += strlen(fmt_index_string(index, type->name)) + index->states[site->first_state + k / 16];
      for (uint32_t e = 0; e < type->enumerator_count; e++)
        sum += strlen(fmt_index_string(index, index->enumerators[type->first_enumerator + e].name));
    }
    for (uint32_t k = 0; k < site->op_count; k += index->ops[site->first_op + k].skip)
      sum += index->ops[site->first_op + k].arg;
    for (uint32_t k = 0; k < site->saved_count; k++)
      sum += index->saved[site->first_saved + k].reg;
  }
  for (uint32_t i = 0; i < index->count[FMT_SECTION_CALL_SITES]; i++)
    for (uint32_t k = 0; k < index->call_sites[i].value_count; k++)
      sum += index->call_values[index->call_sites[i].first_value + k].reg;
  return sum;
}

static void test_damage(void **state)
{
  const struct fixture *fixture = *state;
  unsigned accepted = 0;
  uint32_t random = 12345;
  for (unsigned round = 0; round < 3000; round++) {
    unsigned char saved[4];
    size_t places[4];
    for (unsigned i = 0; i < 4; i++) {
      random = random * 1664525u + 1013904223u;
      places[i] = sizeof(struct fmt_index_header) + random % (fixture->size - sizeof(struct fmt_index_header));
      saved[i] = fixture->bytes[places[i]];
      random = random * 1664525u + 1013904223u;
      fixture->bytes[places[i]] = (unsigned char)(random >> 24);
    }
    seal(fixture);
    struct fmt_index index;
    if (fmt_index_open(fixture->bytes, fixture->size, &index) == 0) {
      accepted++;
      assert_true(walk(&index) > 0);
    }
    for (unsigned i = 4; i-- > 0;)
      fixture->bytes[places[i]] = saved[i];
  }
  /* Damage to names and numbers is not seen; damage to structure is. */
  assert_in_range(accepted, 1, 2999);
}

static void test_not_elf(void **state)
{
  void *index;
  size_t size;
  (void)state;
  assert_int_equal(sym_index_build("/proc/self/status", NULL, &index, &size), -ENOEXEC);
  assert_int_equal(sym_index_build("/nonexistent", NULL, &index, &size), -ENOENT);
  assert_true(sym_index_build("/proc", NULL, &index, &size) < 0);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_good, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_header, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_sections, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_truncated, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_references, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_damage, set_up, tear_down),
      cmocka_unit_test(test_not_elf),
  };
  if (argc != 2)
    return 2;
  program = argv[1];
  return cmocka_run_group_tests(tests, NULL, NULL);
}
