/* Globs, and lists of them over functions, files and modules. */
#include <string.h>

#include "profiler/module/filter.h"
#include "tests/support/check.h"

static bool glob(const char *pattern, const char *text)
{
  return prof_glob_matches(pattern, pattern + strlen(pattern), text);
}

static void test_globs(void)
{
  CHECK(glob("", "") && !glob("", "a"));
  CHECK(glob("abc", "abc") && !glob("abc", "ab") && !glob("abc", "abcd"));
  CHECK(glob("*", "") && glob("*", "a/b") && glob("**", "x"));
  CHECK(glob("a*c", "ac") && glob("a*c", "abbc") && !glob("a*c", "abd"));
  CHECK(glob("*ab*ab", "xabyab") && !glob("*ab*ab", "xab"));
  CHECK(glob("a?c", "abc") && !glob("a?c", "ac"));
  CHECK(glob("[a-c]x", "bx") && !glob("[a-c]x", "dx") && glob("[!a-c]x", "dx") && glob("[^a-c]x", "dx"));
  CHECK(glob("[]x]", "]") && glob("[]x]", "x") && glob("[a-]", "-"));
  CHECK(glob("a[", "a[") && !glob("a[", "ab"));
  CHECK(glob("\\*", "*") && !glob("\\*", "a") && glob("\\", "\\"));
  CHECK(glob("lua[VH]_*", "luaV_execute") && !glob("lua[VH]_*", "luaC_step"));
}

static bool admits(const char *include, const char *exclude, const char *function, const char *file, const char *module)
{
  const struct prof_filter_subject subject = {function, file, module};
  return prof_filter_admits(include, exclude, &subject);
}

static void test_lists(void)
{
  const char *file = "/src/lapi.c", *module = "/usr/lib/liblua.so.5";
  CHECK(admits(NULL, NULL, "f", file, module));
  CHECK(admits("f", NULL, "f", file, module) && !admits("g", NULL, "f", file, module));
  CHECK(admits("g\nf", NULL, "f", file, module) && admits("\n\nf\n", NULL, "f", file, module));
  CHECK(admits("lapi.c", NULL, "f", file, module) && admits("/src/*", NULL, "f", file, module));
  CHECK(admits("liblua*", NULL, "f", file, module));
  CHECK(!admits("function:lapi.c", NULL, "f", file, module) && admits("file:lapi.c", NULL, "f", file, module));
  CHECK(admits("module:liblua*", NULL, NULL, NULL, module) && !admits("file:liblua*", NULL, "f", file, module));
  CHECK(!admits(NULL, "f", "f", file, module) && admits(NULL, "g\nh", "f", file, module));
  CHECK(!admits("*", "lapi.c", "f", file, module));
  CHECK(admits("file::open", NULL, "file::open", "x.cc", module));
  CHECK(!admits("f", NULL, NULL, NULL, module));
}

static void test_modules(void)
{
  const char *module = "/opt/app/plugin.so";
  CHECK(!prof_filter_excludes_module(NULL, NULL, module));
  CHECK(prof_filter_excludes_module(NULL, "plugin.so", module) &&
        prof_filter_excludes_module(NULL, "module:/opt/*", module));
  CHECK(!prof_filter_excludes_module(NULL, "function:plugin.so", module));
  CHECK(prof_filter_excludes_module("module:main", NULL, module));
  CHECK(!prof_filter_excludes_module("module:main\nwork", NULL, module));
  CHECK(!prof_filter_excludes_module("module:plugin.so", NULL, module));
}

int main(void)
{
  test_globs();
  test_lists();
  test_modules();
  return 0;
}
