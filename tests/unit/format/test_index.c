/* A small index is accepted; every single field of it, set to something wild, is refused or harmless. */
/* ctest: build _symbols callsig_symbols */
/* ctest: build _runtime callsig_runtime PkgConfig::XXHASH */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <xxhash.h>

#include "format/open.h"
#include "format/sled.h"

struct small_index {
  struct fmt_index_header header;
  struct fmt_index_site sites[3];
  struct fmt_index_physical physicals[1];
  struct fmt_index_function functions[2];
  struct fmt_index_arg args[2];
  struct fmt_index_type types[1];
  struct fmt_op ops[3];
  uint64_t states[2];
  int64_t ranges[2];
  struct fmt_index_call_site call_sites[1];
  struct fmt_index_call_value call_values[1];
  struct fmt_index_saved saved[1];
  struct fmt_index_sled sleds[4];
  char strings[16];
};

static void set_section(struct small_index *index, enum fmt_index_section_id id, size_t offset, uint32_t count,
                        size_t size)
{
  (void)size;
  index->header.sections[id] = (struct fmt_index_section){offset, count, (uint32_t)size};
}

static void seal(struct small_index *index)
{
  size_t from = index->header.header_size <= sizeof *index ? index->header.header_size : sizeof *index;
  index->header.checksum = XXH64((char *)index + from, sizeof *index - from, 0);
}

static void make(struct small_index *index)
{
  memset(index, 0, sizeof *index);
  memcpy(index->header.magic, FMT_INDEX_MAGIC, 8);
  index->header.version = FMT_INDEX_VERSION;
  index->header.header_size = sizeof index->header;
  index->header.file_size = sizeof *index;
  index->header.section_count = FMT_SECTION_COUNT;
#define SECTION(id, field)                                                                                             \
  set_section(index, id, offsetof(struct small_index, field), sizeof index->field / sizeof index->field[0],            \
              sizeof index->field[0])
  SECTION(FMT_SECTION_STRINGS, strings);
  SECTION(FMT_SECTION_SITES, sites);
  SECTION(FMT_SECTION_PHYSICALS, physicals);
  SECTION(FMT_SECTION_FUNCTIONS, functions);
  SECTION(FMT_SECTION_ARGS, args);
  SECTION(FMT_SECTION_TYPES, types);
  SECTION(FMT_SECTION_OPS, ops);
  SECTION(FMT_SECTION_STATES, states);
  SECTION(FMT_SECTION_RANGES, ranges);
  SECTION(FMT_SECTION_CALL_SITES, call_sites);
  SECTION(FMT_SECTION_CALL_VALUES, call_values);
  SECTION(FMT_SECTION_SAVED, saved);
  SECTION(FMT_SECTION_SLEDS, sleds);
#undef SECTION
  set_section(index, FMT_SECTION_ENUMERATORS, sizeof index->header, 0, sizeof(struct fmt_index_enumerator));
  set_section(index, FMT_SECTION_SYMBOLS, sizeof index->header, 0, sizeof(struct fmt_index_symbol));
  set_section(index, FMT_SECTION_RULES, sizeof index->header, 0, sizeof(struct fmt_index_rule));
  memcpy(index->strings, "\0main\0n\0int", 11);
  index->sites[0] = (struct fmt_index_site){.pc = 100,
                                            .function = 0,
                                            .first_op = 0,
                                            .op_count = 3,
                                            .cfa_kind = FMT_CFA_REGISTER,
                                            .cfa_register = 7,
                                            .first_state = 0,
                                            .saved_count = 1};
  index->sites[1] = (struct fmt_index_site){.pc = 200, .function = 1, .physical = FMT_NONE, .first_state = 1};
  index->sites[2] = (struct fmt_index_site){.pc = 517, .function = 1, .flags = FMT_SITE_SLED, .first_state = 1};
  index->physicals[0] = (struct fmt_index_physical){90, 300, 0, 0};
  index->functions[0] = (struct fmt_index_function){.address = 90, .name = 1, .arg_count = 2, .state_words = 1};
  index->functions[1] = (struct fmt_index_function){.address = 190, .name = 1, .first_arg = 2};
  index->args[0] = (struct fmt_index_arg){.name = 6, .kind = FMT_ARG_VALUE, .join = UINT16_MAX};
  index->args[1] = (struct fmt_index_arg){.name = 6, .kind = FMT_ARG_BUCKET_RANGE, .join = 0, .aux = 0};
  index->types[0] = (struct fmt_index_type){.name = 8, .kind = FMT_TYPE_SIGNED, .size = 4, .target = FMT_NONE};
  index->ops[0] = (struct fmt_op){.code = FMT_OP_EMIT_REG, .reg = 5, .size = 4, .arg = 0, .skip = 1};
  index->ops[1] = (struct fmt_op){.code = FMT_OP_REG, .reg = 4, .size = 8, .arg = 1, .skip = 2};
  index->ops[2] = (struct fmt_op){.code = FMT_OP_EMIT_RANGE, .size = 8, .arg = 1, .skip = 1, .imm = 0};
  index->ranges[0] = 1;
  index->call_sites[0] = (struct fmt_index_call_site){.pc = 400, .physical = 0, .first_value = 0, .value_count = 1};
  index->call_values[0] = (struct fmt_index_call_value){.reg = 5, .kind = FMT_CALL_CONST};
  index->saved[0] = (struct fmt_index_saved){.reg = 3};
  /* A function at 508 with its entry behind 4 bytes, two exits, and one that jumps into it from 440. */
  index->sleds[0] = (struct fmt_index_sled){440, 508, FMT_NONE, 0, FMT_SLED_EXIT, FMT_SLED_SHAPE_NOP5, 0, {0}};
  index->sleds[1] = (struct fmt_index_sled){512, 508, 2, 40, FMT_SLED_ENTER, FMT_SLED_SHAPE_JUMP11, 0, {0}};
  index->sleds[2] = (struct fmt_index_sled){524, 508, FMT_NONE, 40, FMT_SLED_EXIT, FMT_SLED_SHAPE_RETURN11, 0, {0}};
  index->sleds[3] = (struct fmt_index_sled){536, 508, FMT_NONE, 40, FMT_SLED_TAIL, FMT_SLED_SHAPE_NOP5, 0, {0}};
  seal(index);
}

static int check(struct small_index *index)
{
  struct fmt_index opened;
  return fmt_index_open(index, sizeof *index, &opened);
}

#define REFUSES(statement, error)                                                                                      \
  do {                                                                                                                 \
    struct small_index i;                                                                                              \
    make(&i);                                                                                                          \
    statement;                                                                                                         \
    seal(&i);                                                                                                          \
    assert_int_equal(check(&i), (error));                                                                              \
  } while (0)

static void test_fields(void **state)
{
  (void)state;
  REFUSES((void)0, 0);
  REFUSES(i.header.magic[0] = 'X', -EINVAL);
  REFUSES(i.header.version = 0, -EINVAL);
  REFUSES(i.header.version = 1, -EINVAL);
  REFUSES(i.header.version = 3, -ENOTSUP);
  REFUSES(i.header.file_size++, -EINVAL);
  REFUSES(i.header.header_size = 8, -EINVAL);
  REFUSES(i.header.section_count = 1, -EINVAL);
  REFUSES(i.header.build_id_size = 33, -EINVAL);
  REFUSES(i.header.sections[FMT_SECTION_SITES].offset += 4, -EINVAL);
  REFUSES(i.header.sections[FMT_SECTION_SITES].offset = UINT64_MAX - 7, -EINVAL);
  REFUSES(i.header.sections[FMT_SECTION_SITES].count = UINT32_MAX, -EINVAL);
  REFUSES(i.header.sections[FMT_SECTION_SITES].entry_size += 8, -EINVAL);
  REFUSES(i.header.sections[FMT_SECTION_SITES].entry_size -= 8, -EINVAL);
  REFUSES(i.strings[15] = 'x', -EINVAL);
  REFUSES(i.strings[0] = 'x', -EINVAL);
  REFUSES(i.sites[1].pc = 100, -EINVAL);
  REFUSES(i.sites[0].function = 2, -EINVAL);
  REFUSES(i.sites[0].physical = 1, -EINVAL);
  REFUSES(i.sites[0].first_op = 1, -EINVAL);
  REFUSES(i.sites[0].op_count = 4, -EINVAL);
  REFUSES(i.sites[0].op_count = 2, -EINVAL);
  REFUSES(i.sites[0].first_state = 2, -EINVAL);
  REFUSES(i.sites[0].cfa_kind = 3, -EINVAL);
  REFUSES(i.sites[0].cfa_register = 16, -EINVAL);
  REFUSES(i.sites[0].saved_count = 2, -EINVAL);
  REFUSES(i.sites[0].first_saved = UINT32_MAX, -EINVAL);
  REFUSES(i.physicals[0].high = 80, -EINVAL);
  REFUSES(i.physicals[0].function = 2, -EINVAL);
  REFUSES(i.functions[0].name = 16, -EINVAL);
  REFUSES(i.functions[0].file = UINT32_MAX, -EINVAL);
  REFUSES(i.functions[0].first_arg = 1, -EINVAL);
  REFUSES(i.functions[0].arg_count = 3, -EINVAL);
  REFUSES(i.functions[0].state_words = 2, -EINVAL);
  REFUSES(i.args[0].name = 99, -EINVAL);
  REFUSES(i.args[0].type = 1, -EINVAL);
  REFUSES(i.args[0].kind = FMT_ARG_IGNORED + 1, -EINVAL);
  REFUSES(i.args[0].children = 2, -EINVAL);
  REFUSES(i.args[0].join = 2, -EINVAL);
  REFUSES(i.args[1].aux = 2, -EINVAL);
  REFUSES(i.ranges[0] = 2, -EINVAL);
  REFUSES(i.ranges[0] = -1, -EINVAL);
  REFUSES(i.types[0].name = 16, -EINVAL);
  REFUSES(i.ops[0].code = FMT_OP_COUNT, -EINVAL);
  REFUSES(i.ops[0].reg = 16, -EINVAL);
  REFUSES(i.ops[0].size = 9, -EINVAL);
  REFUSES(i.ops[0].size = 0, -EINVAL);
  REFUSES(i.ops[0].arg = 2, -EINVAL);
  REFUSES(i.ops[0].skip = 0, -EINVAL);
  REFUSES(i.ops[1].arg = 0, -EINVAL);
  REFUSES(i.ops[0].code = FMT_OP_REG, -EINVAL);
  REFUSES(i.ops[0].skip = 3, -EINVAL);
  REFUSES(i.ops[1].skip = 1, -EINVAL);
  REFUSES(i.ops[2].imm = 2, -EINVAL);
  REFUSES(i.ops[2].imm = -1, -EINVAL);
  REFUSES((i.ops[1].code = FMT_OP_BITS, i.ops[1].size = 32, i.ops[1].imm = 33), -EINVAL);
  REFUSES((i.ops[2].code = FMT_OP_EMIT_STRING, i.ops[2].imm = FMT_STRING_MAX + 1), -EINVAL);
  REFUSES(i.call_sites[0].physical = 1, -EINVAL);
  REFUSES(i.call_sites[0].value_count = 2, -EINVAL);
  REFUSES(i.call_values[0].reg = 16, -EINVAL);
  REFUSES(i.call_values[0].source = 16, -EINVAL);
  REFUSES(i.call_values[0].kind = FMT_CALL_FRAME + 1, -EINVAL);
  REFUSES(i.saved[0].reg = 16, -EINVAL);
}

static void test_sleds(void **state)
{
  (void)state;
  struct fmt_index opened;
  struct small_index good;
  make(&good);
  assert_int_equal(fmt_index_open(&good, sizeof good, &opened), 0);
  assert_int_equal(opened.count[FMT_SECTION_SLEDS], 4);
  assert_ptr_equal(fmt_index_sled_from(&opened, 0), &opened.sleds[0]);
  assert_ptr_equal(fmt_index_sled_from(&opened, 441), &opened.sleds[1]);
  assert_ptr_equal(fmt_index_sled_from(&opened, 536), &opened.sleds[3]);
  assert_null(fmt_index_sled_from(&opened, 537));
  REFUSES(i.sleds[0].kind = FMT_SLED_ENTER_ARGS + 1, -EINVAL);
  REFUSES(i.sleds[0].shape = FMT_SLED_SHAPE_RETURN6 + 1, -EINVAL);
  REFUSES(i.sleds[0].address = 444, -EINVAL);
  REFUSES(i.sleds[2].address = 525, -EINVAL);
  REFUSES(i.sleds[2].address = 522, -EINVAL);
  REFUSES(i.sleds[2].address = 512, -EINVAL);
  REFUSES(i.sleds[3].address = 528, -EINVAL);
  REFUSES(i.sleds[3].address = 440, -EINVAL);
  REFUSES(i.sleds[0].function = 440, -EINVAL);
  REFUSES(i.sleds[3].function = 513, -EINVAL);
  REFUSES(i.sleds[3].function = UINT64_MAX, -EINVAL);
  REFUSES(i.sleds[3].kind = FMT_SLED_ENTER, -EINVAL);
  REFUSES(i.sleds[1].kind = FMT_SLED_EXIT, -EINVAL);
  REFUSES(i.sleds[1].site = 0, -EINVAL);
  REFUSES(i.sleds[1].site = 3, -EINVAL);
  REFUSES(i.sleds[1].site = FMT_NONE, 0);
  REFUSES(i.sleds[1].kind = FMT_SLED_ENTER_ARGS, 0);
  REFUSES(i.sleds[2].site = 2, -EINVAL);
  REFUSES(i.sites[2].flags = 0, -EINVAL);
  REFUSES(i.sites[2].pc = 518, -EINVAL);
}

/* Recordings hold copies of indexes that were made before there were sleds. */
static void test_version_1(void **state)
{
  (void)state;
  struct fmt_index opened;
  struct small_index i;
  make(&i);
  i.header.version = 1;
  i.header.section_count = FMT_SECTION_SLEDS;
  i.header.header_size = FMT_INDEX_HEADER_MIN;
  seal(&i);
  assert_int_equal(fmt_index_open(&i, sizeof i, &opened), 0);
  assert_int_equal(opened.count[FMT_SECTION_SLEDS], 0);
  assert_int_equal(opened.count[FMT_SECTION_SITES], 3);
  assert_null(fmt_index_sled_from(&opened, 0));
  i.header.section_count = FMT_SECTION_COUNT;
  assert_int_equal(fmt_index_open(&i, sizeof i, &opened), -EINVAL);
}

/* Any byte changed without the checksum is refused as damage; with it, nothing is read out of bounds (the sanitizers
 * and valgrind watch). */
static void test_bytes(void **state)
{
  (void)state;
  struct small_index good, bad;
  make(&good);
  for (size_t at = 0; at < sizeof good; at++) {
    bad = good;
    ((unsigned char *)&bad)[at] ^= 0xff;
    if (at >= sizeof good.header)
      assert_int_equal(check(&bad), -EINVAL);
    seal(&bad);
    (void)check(&bad);
  }
  struct fmt_index opened;
  for (size_t size = 0; size < sizeof good; size++)
    assert_int_equal(fmt_index_open(&good, size, &opened), -EINVAL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields), cmocka_unit_test(test_sleds),
                                     cmocka_unit_test(test_version_1), cmocka_unit_test(test_bytes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
