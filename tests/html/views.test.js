// What the views make of a profile, without a page: callers, laws and lanes of a timeline.
import assert from "node:assert";
import test from "node:test";
import {callerOf, pairsOf, rowOf} from "../../output/html/callers.js";
import {argumentsOf, lawsOf, numberOf, numbersOf, timeByLaw} from "../../output/html/laws.js";
import {nothingVaries} from "../../output/html/signature_plot.js";
import {Profile} from "../../output/html/model.js";
import {lanesOf, spansInSight} from "../../output/html/timeline.js";

test("pairs of a row, the longest first", () => {
  const grouping = {
    by: 1, listed: 3, function: Int32Array.of(0, 1, 1), signature: Int32Array.of(-1, -1, -1), tottime: Float64Array.of(1, 1, 2),
    pairs: {count: 5, callee: Int32Array.of(-1, 0, 0, 1, 2), caller: Int32Array.of(0, 1, 2, 0, 0), cumtime: Float64Array.of(9, 1, 5, 2, 3), ncalls: Float64Array.of(1, 1, 1, 1, 1)},
  };
  assert.deepStrictEqual(pairsOf(grouping, 0), {callers: [2, 1], callees: [0, 4, 3]});
  assert.deepStrictEqual(pairsOf(grouping, 2), {callers: [4], callees: [2]});
  assert.strictEqual(rowOf(grouping, {function: {number: 1}, signature: null}), 2, "the one of the most time");
  assert.strictEqual(rowOf(grouping, {function: {number: 7}, signature: null}), -1);
});

test("a row by site calls as its function, and an address leads to the row itself", () => {
  const sites = ["a.c:3(main)", "a.c:9(main)"];
  const grouping = {
    by: 129, listed: 2, function: Int32Array.of(1, 1), signature: Int32Array.of(-1, -1), tottime: Float64Array.of(1, 2), groups: {site: sites},
    outside: [{function: 0, signature: -1, groups: {site: null}}, {function: 1, signature: -1, groups: {site: null}}],
    pairs: {count: 3, callee: Int32Array.of(0, 0, 1), caller: Int32Array.of(-2, -1, -1), cumtime: Float64Array.of(1, 2, 3), ncalls: Float64Array.of(1, 1, 1)},
  };
  assert.deepStrictEqual([0, 1, -2].map((row) => callerOf(grouping, row)), [-2, -2, -2]);
  assert.deepStrictEqual(pairsOf(grouping, 1), {callers: [2], callees: [0]});
  const profile = new Profile({functions: [{number: 0, name: "main"}, {number: 1, name: "f"}], signatures: [], groupings: [grouping], about: {by: 129}});
  assert.deepStrictEqual([0, 1].map((row) => profile.rowKeyOf(grouping, row)), ["1@0", "1@1"]);
  assert.deepStrictEqual(["1@0", "1@1", "1", "1@7"].map((key) => rowOf(grouping, profile.identityOf(key))), [0, 1, 1, 1]);
  assert.strictEqual(rowOf(grouping, profile.identityOf("0@1")), -1, "the row of another function");
});

test("numbers of arguments are those that scaling has", () => {
  const one = (name, more = {}) => ({name, isGroup: false, children: 0, join: -1, enumeration: null, ...more});
  const signature = {
    layout: [one("n"), one("t", {isGroup: true, children: 1}), one("shape"), one("s"), one("p"), one("wide")],
    values: [{kind: "range", low: 7, high: 7}, {kind: "unknown"}, {kind: "list", list: [2, 3, 4], isCut: false}, {kind: "string", text: "a\\x01ö", isCut: false}, {kind: "null"},
      {kind: "range", low: 4, high: 16}],
  };
  assert.deepStrictEqual(Object.fromEntries(numbersOf(signature)),
    {n: 7, "t.shape[0]": 2, "t.shape[1]": 3, "t.shape[2]": 4, "product(t.shape)": 24, "len(s)": 4, wide: 8});
  assert.ok(Number.isNaN(numberOf({kind: "range", low: 1, high: Infinity})));
});

test("a law has a time for numbers that it knows", () => {
  const law = {constant: 1, terms: [{coefficient: 2, factors: [{argument: "n", power: 2, log: 0}]}, {coefficient: 3, factors: [{argument: "m", power: 1, log: 1}]}]};
  assert.strictEqual(timeByLaw(law, new Map([["n", 5], ["m", 8]])), 1 + 2 * 25 + 3 * 8 * 3);
  assert.ok(Number.isNaN(timeByLaw(law, new Map([["n", 5]]))));
  // Below 1 a law's logarithm is 0, as scaling has it.
  assert.deepStrictEqual([0, 0.5, 1].map((m) => timeByLaw(law, new Map([["n", 5], ["m", m]]))), [51, 51, 51]);
  const stepped = {constant: 1, terms: [{coefficient: 2, factors: [{argument: "n", power: 1, log: 0}]}], step: {from: 4, to: 16, factor: 3}};
  const times = [2, 4, 8, 16, 32].map((n) => timeByLaw(stepped, new Map([["n", n]])));
  assert.deepStrictEqual(times, [5, 9, 33, 97, 193]);
  assert.deepStrictEqual(argumentsOf(law), ["n", "m"]);
  const laws = {functions: [{file: "a.c", line: 1, function: "f"}, {file: "b.c", line: 1, function: "f"}]};
  assert.deepStrictEqual(lawsOf(laws, {file: "b.c", line: 1, name: "f"}), [laws.functions[1]]);
  assert.deepStrictEqual(lawsOf(null, {file: "b.c", line: 1, name: "f"}), []);
});

test("spans stand below those around them, and ranges beside each other", () => {
  const span = (row, start, end) => ({row, start, end});
  const lanes = lanesOf({rows: [{name: "a", process: ""}, {name: "empty", process: ""}],
    spans: [span(0, 0, 10), span(0, 1, 4), span(0, 2, 3), span(0, 5, 9), span(-1, 0, 5), span(-1, 3, 8)]});
  assert.deepStrictEqual(lanes.map(({name, levels, spans}) => [name, levels, spans.map(({level}) => level)]), [["a", 3, [0, 1, 2, 1]], ["ranges", 2, [0, 1]]]);
});

test("of narrow spans that follow each other one is drawn", () => {
  const spans = Array.from({length: 1000}, (_, i) => ({start: i, end: i + 0.5, level: 0}));
  assert.strictEqual(spansInSight({spans}, 0, 1000, 10).length, 100);
  assert.strictEqual(spansInSight({spans}, 100, 110, 0.1).length, 11);
});

test("a function without a plot is told why", () => {
  assert.deepStrictEqual([0, 1, 1200].map(nothingVaries), ["No signature of it has arguments that were read, and a time.",
    "None of its arguments is a number that varies: one signature of it has a time.",
    "None of its arguments is a number that varies among its 1 200 signatures with a time."]);
});
