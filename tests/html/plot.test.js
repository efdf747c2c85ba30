// What pages make of points, of events and of numbers.
import assert from "node:assert";
import test from "node:test";
import {fitted, formatCount, formatSeconds, formatValue, shortened, visible, withoutFolders} from "../../output/html/format.js";
import {describe, happening, pointAt} from "../../output/html/plot.js";

test("numbers in the unit that fits", () => {
  assert.strictEqual(formatSeconds(0.0123456), "12.3 ms");
  assert.strictEqual(formatSeconds(12.5), "12.5 s");
  assert.strictEqual(formatSeconds(2e-10), "0.2 ns");
  assert.strictEqual(formatValue(null, "count"), "unknown");
  assert.strictEqual(formatValue(0.255, "share"), "25.5%");
  assert.strictEqual(formatValue(0, "seconds"), "0 s");
  assert.deepStrictEqual([0, 999, 1000, 1234567].map(formatCount), ["0", "999", "1 000", "1 234 567"]);
});

test("a point is found by its time", () => {
  const series = {from: [1, 2, 5], until: [2, 3, 6], p90_time: [0.001, null, 0.003]};
  assert.deepStrictEqual([0, 1, 1.5, 2, 3, 4, 5.5, 6, 7].map((time) => pointAt(series, time)), [-1, 0, 0, 1, 1, -1, 2, 2, -1]);
  const lines = [{name: "p90", series, measure: "p90_time"}];
  assert.strictEqual(describe(lines, "seconds", 1.5), "p90 1 ms");
  assert.strictEqual(describe(lines, "seconds", 2.5), "p90 unknown");
  assert.strictEqual(describe(lines, "seconds", 4), "");
});

test("events that overlap are told, the first of them by name", () => {
  const events = [1, 2, 3, 4, 5, 6].map((i) => ({name: "e" + i, from: 0, until: i, count: i}));
  assert.strictEqual(happening(events, 5), "e5 (5 times), e6 (6 times)");
  assert.strictEqual(happening(events, 1), "e1, e2 (2 times), e3 (3 times), e4 (4 times) and 2 more");
});

test("names cannot hide or turn what stands beside them", () => {
  assert.strictEqual(visible("a\u202eb\u2066\u200b\n"), "a\\u202eb\\u2066\\u200b\\u000a");
  assert.strictEqual(visible("größe 数"), "größe 数");
  assert.strictEqual(shortened("abcdef", 4), "abc…");
  assert.strictEqual(shortened("abcd", 4), "abcd");
  const measure = (text) => Array.from(text).reduce((sum, letter) => sum + (letter > "z" && letter !== "…" ? 20 : 10), 0);
  const cases = [["abcd", 40, "abcd"], ["abcde", 40, "abc…"], ["abcde", 49, "abc…"], ["世界世界", 79, "世界世…"], ["世界世界", 59, "世界…"], ["abc", 9, ""], ["abc", 10, "…"],
    ["ab😀😀", 59, "ab😀…"]];
  for (const [text, room, wanted] of cases) assert.strictEqual(fitted(text, room, measure), wanted, text + " in " + room);
});

test("places are told without folders", () => {
  for (const [text, wanted] of [["/src/a b/x.c:12(f)", "x.c:12(f)"], ["/s/h.h:3(g) < /s/t/p.c:9(mid), by a tail call", "h.h:3(g) < p.c:9(mid), by a tail call"],
    ["/s/v.cc:7(v::operator/)", "v.cc:7(v::operator/)"], ["/usr/lib/libz.so.1", "libz.so.1"], ["/opt/app+0x1234", "app+0x1234"], ["?", "?"], ["x.c:1(f)", "x.c:1(f)"]])
    assert.strictEqual(withoutFolders(text), wanted);
});
