/* The files that a recording has functions of, also where its lists lead round, nowhere, or out of it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/beside/known_modules.h"
#include "format/recording.h"

enum { PID = 4711, BASE = 1 << 20, THREADS = 2, FUNCTIONS = 3, MODULES = 2, NAME_WORDS = 8, LIMIT_SECONDS = 60 };

/* A recording, as it lies in its file: each thread has the functions of one list, and each function a module. */
struct image {
  struct fmt_rec_header header;
  struct fmt_rec_thread threads[THREADS];
  struct fmt_rec_function functions[THREADS][FUNCTIONS];
  struct fmt_rec_module modules[MODULES];
  uint64_t names[MODULES][NAME_WORDS]; /* struct fmt_rec_name, with its text behind it */
};

#define ADDRESS(member) (BASE + offsetof(struct image, member))

static const char *const paths[MODULES] = {"/somewhere/program", "/somewhere/libelse.so"};

static struct fmt_rec_name *name_in(struct image *image, unsigned module)
{
  return (struct fmt_rec_name *)(void *)image->names[module];
}

static struct image sound(void)
{
  struct image image = {.header = {.version = FMT_RECORDING_VERSION,
                                   .header_size = sizeof image.header,
                                   .pid = PID,
                                   .base = BASE,
                                   .next = sizeof image,
                                   .first_thread = ADDRESS(threads[0])}};
  memcpy(image.header.magic, FMT_RECORDING_MAGIC, sizeof image.header.magic);
  for (unsigned i = 0; i < THREADS; i++) {
    image.threads[i].tag.tag = FMT_TAG_THREAD;
    image.threads[i].next = i + 1 < THREADS ? ADDRESS(threads[i + 1]) : 0;
    image.threads[i].first_function = ADDRESS(functions[i][0]);
    for (unsigned j = 0; j < FUNCTIONS; j++) {
      image.functions[i][j].tag.tag = FMT_TAG_FUNCTION;
      image.functions[i][j].next = j + 1 < FUNCTIONS ? ADDRESS(functions[i][j + 1]) : 0;
      /* The last one has no module, as an action has none. */
      image.functions[i][j].module = j < MODULES ? ADDRESS(modules[j]) : 0;
    }
  }
  for (unsigned i = 0; i < MODULES; i++) {
    image.modules[i].tag.tag = FMT_TAG_MODULE;
    image.modules[i].path = ADDRESS(names[i]);
    struct fmt_rec_name *name = name_in(&image, i);
    name->tag.tag = FMT_TAG_NAME;
    name->length = (uint32_t)strlen(paths[i]);
    strcpy(name->text, paths[i]);
  }
  return image;
}

/* Reads the first `size` bytes of the image as the recording of `pid`. */
static int read_image(const struct image *image, size_t size, pid_t pid, struct cli_known_modules *known)
{
  char path[] = "/tmp/callsig-known-XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0 && write(file, image, size) == (ssize_t)size && close(file) == 0);
  alarm(LIMIT_SECONDS);
  const int error = cli_known_modules_read(known, "/bin/sh", path, pid);
  alarm(0);
  unlink(path);
  return error;
}

/* Reads it, and holds how many names there are against `count`: each one is a module's. */
static void expect_names(const struct image *image, unsigned count)
{
  struct cli_known_modules known;
  assert_int_equal(read_image(image, sizeof *image, PID, &known), 0);
  assert_int_equal(known.names.count, count);
  for (unsigned i = 0; i < count; i++) {
    const char *name = *(char **)base_vector_at(&known.names, i);
    assert_true(strcmp(name, "program") == 0 || strcmp(name, "libelse.so") == 0);
  }
  cli_known_modules_free(&known);
}

/* Each file once, by its name alone, and the program. */
static void files_of_functions(void **state)
{
  (void)state;
  struct cli_known_modules known;
  char program[PATH_MAX];
  const struct image image = sound();
  expect_names(&image, MODULES);
  assert_int_equal(read_image(&image, sizeof image, PID, &known), 0);
  assert_non_null(realpath("/bin/sh", program));
  assert_true(cli_is_known_module(program, &known));
  assert_true(cli_is_known_module("/another/build/libelse.so", &known));
  assert_true(cli_is_known_module("program", &known));
  assert_false(cli_is_known_module("/somewhere/libmore.so", &known));
  assert_false(cli_is_known_module("/somewhere", &known));
  cli_known_modules_free(&known);
}

static void of_another_process(void **state)
{
  (void)state;
  struct cli_known_modules known;
  const struct image image = sound();
  assert_int_equal(read_image(&image, sizeof image, PID + 1, &known), -ENOENT);
  assert_int_equal(known.names.count, 0);
  cli_known_modules_free(&known);
}

/* By however many ways they do: to the record itself, to the first, to another list, and all of these at once. */
static void lists_that_lead_round(void **state)
{
  (void)state;
  struct image image = sound();
  image.functions[0][0].next = ADDRESS(functions[0][0]);
  expect_names(&image, 1);
  image = sound();
  image.functions[1][FUNCTIONS - 1].next = ADDRESS(functions[1][0]);
  expect_names(&image, MODULES);
  image = sound();
  image.functions[0][FUNCTIONS - 1].next = ADDRESS(functions[1][0]);
  image.functions[1][FUNCTIONS - 1].next = ADDRESS(functions[0][0]);
  expect_names(&image, MODULES);
  image = sound();
  image.threads[0].next = ADDRESS(threads[0]);
  expect_names(&image, MODULES);
  image.functions[0][FUNCTIONS - 1].next = ADDRESS(functions[0][1]);
  image.threads[THREADS - 1].next = ADDRESS(threads[0]);
  expect_names(&image, MODULES);
}

/* What is no record of its kind ends a list; what was read until then stays. */
static void lists_that_lead_nowhere(void **state)
{
  (void)state;
  const uint64_t wrong[] = {1,
                            BASE - 8,
                            BASE,
                            ADDRESS(modules[0]),
                            BASE + sizeof(struct image),
                            UINT64_MAX,
                            INT64_MAX,
                            BASE + (uint64_t)INT64_MAX};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct image image = sound();
    image.header.first_thread = wrong[i];
    expect_names(&image, 0);
    image = sound();
    image.threads[0].next = image.functions[0][0].next = wrong[i];
    expect_names(&image, 1);
    image = sound();
    image.functions[0][0].module = image.functions[1][0].module = wrong[i] == ADDRESS(modules[0]) ? 8 : wrong[i];
    expect_names(&image, 1);
    image = sound();
    image.modules[0].path = wrong[i];
    expect_names(&image, 1);
  }
  struct image image = sound();
  name_in(&image, 0)->length = UINT32_MAX;
  name_in(&image, 1)->length = PATH_MAX;
  expect_names(&image, 0);
}

/* Wherever the file ends, and whatever its header says of that. */
static void cut_anywhere(void **state)
{
  (void)state;
  struct image image = sound();
  for (size_t size = 0; size < sizeof image; size++) {
    struct cli_known_modules known;
    image.header.next = size % 3 == 0 ? UINT64_MAX : sizeof image;
    const int error = read_image(&image, size, PID, &known);
    assert_int_equal(error, size < sizeof image.header ? -ENOENT : 0);
    assert_true(known.names.count <= MODULES);
    cli_known_modules_free(&known);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_of_functions),    cmocka_unit_test(of_another_process),
      cmocka_unit_test(lists_that_lead_round), cmocka_unit_test(lists_that_lead_nowhere),
      cmocka_unit_test(cut_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
