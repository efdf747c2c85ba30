/* Lists put in order in place, with entries of any size: also larger than any that an export has now. */
#include <stdlib.h>
#include <string.h>

#include "output/export/export_writer.h"
#include "tests/support/output_sample.h"

struct entry {
  uint32_t number;
  char rest[300];
};

static void permute(uint32_t count, uint32_t step)
{
  struct base_vector list = BASE_VECTOR_OF(struct entry);
  uint32_t *order = malloc((count + 1u) * sizeof *order);
  assert_non_null(order);
  for (uint32_t i = 0; i < count; i++) {
    struct entry *entry = base_vector_add(&list, 1);
    assert_non_null(entry);
    entry->number = i;
    memset(entry->rest, (int)(i & 0x7F), sizeof entry->rest);
    order[i] = (uint32_t)((uint64_t)i * step % count);
  }
  assert_int_equal(out_export_permute(&list, order), 0);
  for (uint32_t i = 0; i < count; i++) {
    const struct entry *entry = base_vector_at(&list, i);
    assert_int_equal(entry->number, (uint64_t)i * step % count);
    assert_int_equal(entry->rest[sizeof entry->rest - 1], entry->number & 0x7F);
  }
  base_vector_free(&list);
  free(order);
}

static void any_entry(void **state)
{
  (void)state;
  permute(0, 1);
  permute(1, 1);
  permute(100, 1);   /* all stay */
  permute(100, 99);  /* pairs change places */
  permute(1009, 11); /* long rings */
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_entry)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
