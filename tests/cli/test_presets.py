"""The rules of callsig flags --rules: what pipelines pass around, by kind and shape; and the words that they are made of."""

import os
import shutil
import unittest

import harness
from harness import Case

# The published layouts of what Debian has no headers of (ggml; DLPack 0.8; Arrow's C data interface), and as much of the others as the rules read.
LAYOUTS = r"""
#include <stdint.h>
#include <stddef.h>
enum ggml_type { GGML_TYPE_F32 = 0, GGML_TYPE_F16 = 1 };
struct ggml_tensor { enum ggml_type type; int backend; void *buffer; int64_t ne[4]; size_t nb[4]; char name[64]; };
typedef enum { kDLCPU = 1, kDLCUDA = 2 } DLDeviceType;
typedef struct { DLDeviceType device_type; int32_t device_id; } DLDevice;
typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;
typedef struct { void *data; DLDevice device; int32_t ndim; DLDataType dtype; int64_t *shape, *strides; uint64_t byte_offset; } DLTensor;
typedef struct DLManagedTensor { DLTensor dl_tensor; void *manager_ctx; void (*deleter)(struct DLManagedTensor *self); } DLManagedTensor;
struct ArrowSchema { const char *format, *name, *metadata; int64_t flags, n_children; struct ArrowSchema **children, *dictionary;
  void (*release)(struct ArrowSchema *); void *private_data; };
struct ArrowArray { int64_t length, null_count, offset, n_buffers, n_children; const void **buffers; struct ArrowArray **children, *dictionary;
  void (*release)(struct ArrowArray *); void *private_data; };
typedef struct AVFrame { uint8_t *data[8]; int linesize[8]; uint8_t **extended_data; int width, height, nb_samples, format; } AVFrame;
typedef struct AVPacket { void *buf; int64_t pts, dts; uint8_t *data; int size, stream_index, flags; } AVPacket;
"""

C = LAYOUTS + r"""
static int compute(const struct ggml_tensor *t) { return (int)t->ne[0]; }
static int lend(DLTensor *t, DLManagedTensor *m) { return t->ndim + m->dl_tensor.ndim; }
static int import(struct ArrowSchema *s, struct ArrowArray *a) { return (int)(s->n_children + a->length); }
static int decode(AVFrame *f, const AVPacket *p) { return f->width + p->size; }
int main(void)
{
  struct ggml_tensor tensor = {.type = GGML_TYPE_F16, .ne = {16, 4, 1, 1}};
  int64_t shape[] = {2, 3, 5};
  DLTensor lent = {.device = {kDLCUDA, 0}, .ndim = 3, .dtype = {2, 32, 1}, .shape = shape};
  DLManagedTensor managed = {.dl_tensor = lent};
  struct ArrowSchema schema = {.format = "+s", .name = "row", .n_children = 2};
  struct ArrowArray array = {.length = 1000, .null_count = 7, .n_children = 2};
  AVFrame frame = {.width = 640, .height = 480};
  AVPacket packet = {.size = 1500, .stream_index = 1, .flags = 1};
  managed.dl_tensor.ndim = 1;
  return compute(&tensor) + lend(&lent, &managed) + import(&schema, &array) + decode(&frame, &packet) == 0;
}
"""

CXX = r"""
#include <string>
#include <string_view>
#include <vector>
#include <span>
struct Point { float x, y, z; };
static size_t text(const std::string &s) { return s.size(); }
static size_t view(std::string_view s) { return s.size(); }
static size_t dot(const std::vector<float> &a, const std::vector<Point> *b) { return a.size() + (b ? b->size() : 0); }
static size_t part(std::span<const double> s) { return s.size(); }
static size_t move(std::vector<int> v) { return v.size(); }
int main()
{
  std::vector<float> floats(16);
  std::vector<Point> points(7);
  double numbers[5] = {};
  return text("hello") + text(std::string(1000, 'x')) + view("abc") + dot(floats, &points) + dot(floats, nullptr) + part(numbers) +
         move({1, 2}) == 0;
}
"""

FFMPEG = r"""
#include <libavcodec/avcodec.h>
static int decode(AVFrame *f, const AVPacket *p) { return f->width + p->size; }
int main(void)
{
  AVFrame frame = {.width = 640, .height = 480, .format = AV_PIX_FMT_NV12};
  AVPacket packet = {.size = 1500, .stream_index = 1, .flags = AV_PKT_FLAG_KEY};
  return decode(&frame, &packet) == 0;
}
"""

OPENCV = r"""
#include <opencv2/core.hpp>
static int show(const cv::Mat &m) { return m.rows; }
int main() { return show(cv::Mat(480, 640, CV_8UC3)) + show(cv::Mat(3, 4, CV_64F)) == 0; }
"""

GSTREAMER = r"""
#include <gst/gst.h>
static int push(GstBuffer *b, GstMapInfo *m) { return b != NULL && m->size; }
int main(void)
{
  GstBuffer buffer = {.mini_object = {.flags = GST_BUFFER_FLAG_DELTA_UNIT}};
  GstMapInfo map = {.flags = GST_MAP_READ, .size = 4096};
  return push(&buffer, &map) == 0;
}
"""

DLPACK = r"""
#include <dlpack/dlpack.h>
static int lend(DLTensor *t) { return t->ndim; }
int main(void)
{
  int64_t shape[] = {2, 3};
  DLTensor lent = {.device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1}, .shape = shape};
  return lend(&lent) == 0;
}
"""


class Rules(Case):
    def setUp(self):
        super().setUp()
        done = self.callsig("flags", "--rules")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.presets = done.stdout.strip()
        self.assertTrue(os.path.isfile(self.presets), self.presets)

    def signatures(self, program, rules=None):
        """What the table of a run holds; stderr has nothing but it."""
        done = self.callsig("run", "--rules", rules or self.presets, program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("callsig: ", done.stderr)
        return done.stderr

    def check(self, text, *signatures):
        for signature in signatures:
            with self.subTest(signature=signature):
                self.assertIn("(" + signature + ")", text)

    def has_header(self, header, flags=(), language="c"):
        return self.run_command("cc", "-x", language, *flags, "-include", header, "-fsyntax-only", "/dev/null").returncode == 0

    def packages(self, name):
        if not shutil.which("pkg-config"):
            self.skipTest("pkg-config is not installed")
        done = self.run_command("pkg-config", "--cflags", name)
        if done.returncode != 0:
            self.skipTest(f"{name} is not installed")
        return done.stdout.split()


class Presets(Rules):
    def test_published_layouts(self):
        self.check(self.signatures(self.compile("layouts", C, "-O0")),
                   "compute(t:ggml_tensor(dtype=GGML_TYPE_F16, shape=(16, 4, 1, 1)))",
                   "lend(t:DLTensor(dtype:DLDataType(code=2, bits=32, lanes=1), shape=(2, 3, 5), device=kDLCUDA), "
                   "m:DLManagedTensor(dl_tensor:DLTensor(dtype:DLDataType(code=2, bits=32, lanes=1), shape=(2,), device=kDLCUDA)))",
                   'import(s:ArrowSchema(format="+s", name="row", children=2), a:ArrowArray(length=1000, nulls=7, children=2))',
                   "decode(f:AVFrame(format=0, width=640, height=480, nb_samples=0), "
                   "p:AVPacket(stream_index=1, flags=1, size=2^10..2^11))")

    def cxx(self, *flags, compiler="g++"):
        program = self.compile("cxx", CXX, "-O0", "-std=c++20", "-x", "c++", *flags, compiler=compiler, libs=["-x", "none", "-lstdc++"])
        text = self.signatures(program)
        self.check(text, "text(s:std::string[5])", "text(s:std::string[1000])", "view(s:std::string_view[3])",
                   "dot(a:std::vector<float, std::allocator<float> >(size=16), b:std::vector<Point, std::allocator<Point> >(size=7))",
                   "dot(a:std::vector<float, std::allocator<float> >(size=16), b=NULL)",
                   "move(v:std::vector<int, std::allocator<int> >(size=2))")
        self.assertRegex(text, r"part\(s:std::span<.*>\(size=5\)\)")

    @unittest.skipUnless(shutil.which("g++"), "needs g++")
    def test_libstdcxx(self):
        self.cxx()

    def test_ffmpeg(self):
        flags = self.packages("libavcodec")
        self.check(self.signatures(self.compile("ffmpeg", FFMPEG, "-O0", *flags)),
                   "decode(f:AVFrame(format=23, width=640, height=480, nb_samples=0), p:AVPacket(stream_index=1, flags=1, size=2^10..2^11))")

    def test_gstreamer(self):
        flags = self.packages("gstreamer-1.0")
        self.check(self.signatures(self.compile("gstreamer", GSTREAMER, "-O0", *flags)),
                   "push(b:GstBuffer(flags=8192), m:GstMapInfo(flags=GST_MAP_READ, size=4096))")

    def test_dlpack(self):
        if not self.has_header("dlpack/dlpack.h"):
            self.skipTest("libdlpack-dev is not installed")
        self.check(self.signatures(self.compile("dlpack", DLPACK, "-O0")),
                   "lend(t:DLTensor(dtype:DLDataType(code=2, bits=32, lanes=1), shape=(2, 3), device=kDLCPU))")

    def test_opencv(self):
        flags = ["-I/usr/include/opencv4"]
        if not self.has_header("opencv2/core.hpp", flags, "c++"):
            self.skipTest("libopencv-core-dev is not installed")
        program = self.compile("opencv", OPENCV, "-O0", "-x", "c++", *flags, compiler="g++", libs=["-x", "none", "-lopencv_core"])
        self.check(self.signatures(program), "show(m:cv::Mat(dims=2, rows=480, cols=640, elem=3))",
                   "show(m:cv::Mat(dims=2, rows=3, cols=4, elem=8))")

    def test_nothing_is_said_of_what_a_program_lacks(self):
        program = self.compile("plain", harness.CALLS)
        text = self.signatures(program)
        self.assertIn("work(n=1)", text)
        done = self.callsig("index", "--rules", self.presets, program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_arguments_of_the_option(self):
        self.assert_fails(self.callsig("flags", "--rules", "--libs"), 2, "--rules")


LISTS = r"""
struct item { double key, value; };
struct list { struct item *first, *end; const char *begin_text, *end_text; void *from, *to; };
struct other_list { int count; };
static int sum(const struct list *l, struct other_list o) { return (int)(l->end - l->first) + o.count; }
int main(void)
{
  static struct item items[12];
  static const char text[] = "abcdef";
  struct list forth = {items + 2, items + 9, text, text + 6, items, items + 1}, back = {items + 9, items + 2, text, text, items, items};
  struct other_list other = {3};
  return sum(&forth, other) + sum(&back, other) != 6;
}
"""


class Language(Rules):
    def table(self, *rules):
        return self.signatures(self.compile("lists", LISTS, "-O0"), self.write("rules.txt", "\n".join(rules) + "\n"))

    def test_differences(self):
        text = self.table("type list: items=end - first, text=end_text - begin_text", "type other_list: count")
        self.check(text, "sum(l:list(items=7, text=6), o:other_list(count=3))", "sum(l:list(items=-7, text=0), o:other_list(count=3))")

    def test_globs_of_types(self):
        self.check(self.table("soft type *list: items=end - first", "soft type *list: count"),
                   "sum(l:list(items=7), o:other_list(count=3))")
        self.check(self.table("soft type *list: count", "soft type *list: items=end - first"),
                   "sum(l:list(items=7), o:other_list(count=3))")

    def test_an_object_that_is_only_made(self):
        """A constructor finds nothing in its object yet: what lies there is no field's value."""
        source = """
            struct Box { int n; explicit Box(int n) : n(n) {} int get() const { return n; } ~Box() {} };
            template <class T> struct Pair { T a; explicit Pair(T a) : a(a) {} T first() const { return a; } };
            struct Outer { Box box; Outer(const Box &from, Box *to) : box(from) { to->n = 9; } int get() const { return box.n; } };
            int main() { Box box(7); Box other(8); Pair<short> pair(3); Outer outer(box, &other); return box.get() + pair.first() + outer.get() == 0; }
            """
        rules = self.write("rules.txt", "type Box: n\ntype Pair*: a\ntype Outer: box.n\n")
        for compiler in ("g++", "clang++"):
            with self.subTest(compiler=compiler):
                program = self.compile("made", source, "-O0", "-x", "c++", compiler=compiler, libs=["-x", "none", "-lstdc++"])
                text = self.signatures(program, rules)
                pair = "Pair<short int>" if compiler == "g++" else "Pair<short>"
                self.check(text, "Box::Box(this:Box, n=7)", "Box::get(this:Box(n=7))", "Box::~Box(this:Box(n=9))",
                           f"{pair}::Pair(this:{pair}, a=3)", f"{pair}::first(this:{pair}(a=3))", "Outer::Outer(this:Outer, from:Box(n=7), to:Box(n=8))", "Outer::get(this:Outer(box.n=7))")

    def test_a_soft_rule_says_nothing(self):
        self.check(self.table("soft type lost: a", "soft type list: lost", "soft function lost: a ignore", "soft function sum: lost ignore"),
                   "sum(l:struct list*, o:struct other_list)")

    def test_what_is_wrong_is_told(self):
        program = self.compile("lists", LISTS, "-O0")
        for rule, words in (("type list: items=end - lost", "no field 'lost'"), ("type list: items=end - begin_text", "points to"),
                            ("type list: bytes=to - from", "size"), ("type list: end - first", "has a name"), ("type l*t: lost", "lost"),
                            ("type list: n=end - first value", "no further word"), ("soft soft type list: end", "a rule begins with"),
                            ("type no*ne: a", "no type matches 'no*ne'")):
            with self.subTest(rule=rule):
                done = self.callsig("index", "--rules", self.write("rules.txt", rule + "\n"), program)
                self.assertEqual(done.returncode == 0, False, done.stderr)
                self.assertIn(words, done.stderr)


if __name__ == "__main__":
    harness.main()
