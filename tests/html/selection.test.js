// Rows that pass filters, and their order.
import assert from "node:assert";
import test from "node:test";
import {Profile} from "../../output/html/model.js";
import {FilterError, chosenRows, filterRows, filteredRows, globPattern, orderOf, sortedRows} from "../../output/html/selection.js";
import {DEFAULTS} from "../../output/html/view_state.js";

function profile() {
  const layout = [{name: "n", isGroup: false, children: 0, join: -1, enumeration: null}];
  const signature = (number, of, value) => ({number, function: of, text: "f(n=" + value + ")", layout, values: [{kind: "range", low: value, high: value}]});
  const grouping = {
    by: 7, listed: 4, function: Int32Array.of(0, 0, 1, 1), signature: Int32Array.of(0, 1, 2, -1), groups: {stage: ["0:1:decode[4]", null, "0:1:decode[4]", "0:2:resize[1]"]},
    ncalls: Float64Array.of(1, 2, 3, 4), pcalls: Float64Array.of(1, 2, 3, 4), tottime: Float64Array.of(4, 1, 3, 2), cumtime: Float64Array.of(5, NaN, 5, 9),
    folded: new Map(), outside: [],
  };
  return new Profile({
    functions: [{number: 0, file: "a.c", line: 1, name: "f"}, {number: 1, file: "b.c", line: 2, name: "g"}],
    layouts: [layout], signatures: [signature(0, 0, 1), signature(1, 0, 2), signature(2, 1, 3)], valueBytes: null, groupings: [grouping], trees: [],
    head: {total_time: 10}, about: {by: 7},
  });
}

function passing(changes) {
  const known = profile(), [grouping] = known.page.groupings;
  return [...filterRows(known, grouping, {...DEFAULTS, ...changes}).passes];
}

test("filters of report, in its words", () => {
  assert.deepStrictEqual(passing({}), [1, 1, 1, 1]);
  assert.deepStrictEqual(passing({function: "b\\.c:2\\(g\\)"}), [0, 0, 1, 1]);
  assert.deepStrictEqual(passing({signature: "n >= 2"}), [0, 1, 1, 0]);
  assert.deepStrictEqual(passing({stage: "decode"}), [1, 0, 1, 0]);
  assert.deepStrictEqual(passing({stage: "0:?:*"}), [1, 0, 1, 1]);
  assert.deepStrictEqual(passing({stage: "-"}), [0, 1, 0, 0]);
  assert.deepStrictEqual(passing({stage: "0:1:decode[4]"}), [1, 0, 1, 0]);
  assert.deepStrictEqual(passing({stage: "decode", function: "f"}), [1, 0, 0, 0]);
});

test("filters are gone over again where they changed, and nowhere else", () => {
  const known = profile(), [grouping] = known.page.groupings;
  const first = filteredRows(known, grouping, {...DEFAULTS, signature: "n >= 2"});
  assert.deepStrictEqual([[...first.passes], first.count, first.undecided], [[0, 1, 1, 0], 2, 0]);
  assert.strictEqual(filteredRows(known, grouping, {...DEFAULTS, signature: "n >= 2", sort: "ncalls"}), first);
  assert.strictEqual(filteredRows(known, grouping, {...DEFAULTS, signature: "n >= 3"}).count, 1);
  assert.throws(() => filteredRows(known, grouping, {...DEFAULTS, signature: "n ="}), FilterError);
  assert.strictEqual(filteredRows(known, grouping, DEFAULTS).count, 4);
});

test("what was widened too far is undecided, and what has no such argument is not", () => {
  const known = profile(), [grouping] = known.page.groupings, [layout] = known.page.layouts, other = [{...layout[0], name: "m"}];
  known.page.layouts.push(other);
  known.signatures[1].values = [{kind: "range", low: 2, high: 3}];
  Object.assign(known.signatures[2], {layout: other});
  const undecided = (signature) => filterRows(known, grouping, {...DEFAULTS, signature}).undecided;
  assert.deepStrictEqual(["n == 3", "n >= 2", "m == 3", "n == 3 || m == 4", "n == 3 && m == 3"].map(undecided), [1, 0, 0, 1, 0]);
});

test("what a filter does not understand is told", () => {
  for (const [changes, field] of [[{function: "("}, "function"], [{signature: "n ="}, "signature"], [{signature: "unheard == 1"}, "signature"], [{thread: "x"}, "thread"]])
    assert.throws(() => passing(changes), (error) => error instanceof FilterError && error.field === field, JSON.stringify(changes));
});

test("globs are those of fnmatch", () => {
  const cases = [["*.so*", "/lib/libz.so.1", true], ["a?c", "abc", true], ["a?c", "ac", false], ["[!a]x", "bx", true], ["[!a]x", "ax", false], ["[]x]", "]", true],
    ["a.c", "abc", false], ["a\\*", "a*", true], ["a\\*", "ab", false], ["(x)", "(x)", true], ["[a", "[a", true],
    ["[!]", "[!]", true], ["[!]", "x", false], ["[]", "[]", true], ["[z-a]", "z", false], ["[z-a]", "[z-a]", false], ["[b-z]", "c", true], ["[^a]", "b", true],
    ["[a-]", "-", true], ["[]-a]", "^", true], ["[--0]", ".", true], ["[a\\]b]", "]", true], ["[a\\]b]", "\\", false], ["[a-\\]]", "b", false],
    ["[[:alpha:]_]x", "bx", true], ["[[:alpha:]_]x", ":x", false], ["[[:punct:]]", "^", true], ["\\", "\\", false], ["[\u{1f600}-\u{1f610}]", "\u{1f605}", true]];
  for (const [glob, text, wanted] of cases) assert.strictEqual(globPattern(glob).test(text), wanted, glob + " of " + text);
});

test("any numbers are ordered, equal ones by their place, unknown ones last", () => {
  const values = [3, NaN, 0, 1e-12, 3, 2 ** 60, 0.5, Infinity, 0];
  assert.deepStrictEqual([...orderOf(Float64Array.from(values), true)], [2, 8, 3, 6, 0, 4, 5, 7, 1]);
  assert.deepStrictEqual([...orderOf(Float64Array.from(values), false)], [7, 5, 0, 4, 6, 3, 2, 8, 1]);
  const many = Float64Array.from({length: 5000}, (_, i) => (i * 7919 % 4001) * 1e-9);
  const wanted = Array.from(many.keys()).sort((a, b) => many[b] - many[a] || a - b);
  assert.deepStrictEqual([...orderOf(many, false)], wanted);
  const whole = Float64Array.from({length: 5000}, (_, i) => i * 7919 % 4001);
  assert.deepStrictEqual([...orderOf(whole, true)], Array.from(whole.keys()).sort((a, b) => whole[a] - whole[b] || a - b));
});

test("every column sorts, and what passes keeps its order", () => {
  const known = profile(), [grouping] = known.page.groupings;
  assert.deepStrictEqual([...sortedRows(grouping, "tottime", false)], [0, 2, 3, 1]);
  assert.deepStrictEqual([...sortedRows(grouping, "cumtime", false)].slice(0, 3), [3, 0, 2]);
  assert.deepStrictEqual([...sortedRows(grouping, "tottimePercall", false)], [0, 2, 1, 3]);
  assert.deepStrictEqual([...sortedRows(grouping, "name", true)], [0, 1, 2, 3]);
  assert.deepStrictEqual([...sortedRows(grouping, "name", false)], [3, 2, 1, 0]);
  assert.deepStrictEqual([...chosenRows(sortedRows(grouping, "tottime", false), Uint8Array.of(1, 1, 0, 1))], [0, 3, 1]);
});

test("a row is called alike in all groupings, and found by its key", () => {
  const known = profile(), [grouping] = known.page.groupings;
  assert.deepStrictEqual([0, 1, 2, 3].map((row) => known.keyOf(grouping, row)), ["0.0", "0.1", "1.2", "1"]);
  assert.strictEqual(known.identityOf("1.2").function.name, "g");
  assert.strictEqual(known.identityOf("1.2").signature.text, "f(n=3)");
  for (const key of ["", "9", "x", "1.9.3", "__proto__"]) assert.strictEqual(known.identityOf(key), null, key);
  assert.deepStrictEqual([3, 2].map((row) => known.nameOf(grouping, row)), ["g", "f(n=3)"]);
});
