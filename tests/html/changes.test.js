// What changed: colours are there where a change is told from noise, and nowhere else.
import assert from "node:assert";
import test from "node:test";
import {ChangePaint, changesOf, colorOfChange, notJudged, totalText} from "../../output/html/changes.js";
import {Profile} from "../../output/html/model.js";

function profile(judged) {
  const numbers = (...values) => Float64Array.from(values);
  const grouping = {
    by: 1, listed: 3, function: Int32Array.of(0, 1, 2), signature: Int32Array.of(-1, -1, -1), groups: {}, folded: new Map(), outside: [],
    verdict: [judged ? "slower" : "unjudged", judged ? "same" : "unjudged", "new"], change: numbers(1, 0.5, 2), changeSize: numbers(1, 0.5, 2), oldTottime: numbers(2, 5, 0), newTottime: numbers(3, 5.5, 2),
    oldCumtime: numbers(2, 5, 0), newCumtime: numbers(3, 5.5, 2), oldCalls: numbers(1, 2.5, 0), newCalls: numbers(1, 2, 1), low: numbers(NaN, NaN, NaN),
    high: numbers(NaN, NaN, NaN), p: numbers(NaN, NaN, NaN), adjusted: numbers(0.001, NaN, NaN),
  };
  return new Profile({functions: ["f", "g", "h"].map((name, number) => ({number, name, file: "a.c", line: number})), signatures: [], layouts: [], valueBytes: null,
    groupings: [grouping], trees: [], head: null, about: {by: 1}, diff: {test: judged ? "Welch's t, Holm" : null, metric: "tottime"}});
}

test("what is not told from noise is grey", () => {
  const paint = new ChangePaint(profile(true));
  assert.deepStrictEqual(["0", "1", "2", "7", ""].map((key) => paint.color(key) === "var(--same)"), [false, true, false, true, true]);
  const unjudged = new ChangePaint(profile(false));
  assert.deepStrictEqual(["0", "1"].map((key) => unjudged.color(key)), ["var(--same)", "var(--same)"]);
  assert.strictEqual(unjudged.color("2"), colorOfChange("new", null), "what is new needs no judgement");
  assert.notStrictEqual(colorOfChange("slower", 0.1), colorOfChange("slower", 0.9));
  assert.notStrictEqual(colorOfChange("slower", 0.5), colorOfChange("faster", -0.5));
  assert.strictEqual(colorOfChange("changed", 3), "var(--same)");
});

test("a page says why nothing is judged", () => {
  assert.match(notJudged({timed_differently: null}), /^One side has one recording/);
  assert.match(notJudged({timed_differently: "old: CPU clock; new: wall clock"}), /^The recordings were timed differently \(old: CPU clock; new: wall clock\)/);
});

test("of several rows of a function colours and words are what all are alike in", () => {
  const known = profile(true), [grouping] = known.page.groupings;
  grouping.groups = {site: ["a.c:1(main)", "a.c:2(main)", "a.c:3(main)"]};
  grouping.function.fill(0);
  const paint = new ChangePaint(known);
  assert.strictEqual(paint.color("0"), "var(--same)");
  assert.strictEqual(paint.words("0"), "3 rows that did not change alike");
  grouping.verdict.fill("slower");
  assert.notStrictEqual(paint.color("0"), "var(--same)");
  assert.strictEqual(paint.words("0"), "slower in each of 3 rows");
});

test("changes in words", () => {
  const known = profile(true), paint = new ChangePaint(known), [grouping] = known.page.groupings, {cellText, columnsOf} = changesOf(known);
  assert.strictEqual(paint.words("0"), "slower by +1 s (+50.0%)");
  assert.strictEqual(paint.words("2"), "new by +2 s");
  assert.strictEqual(paint.words("9"), null);
  assert.deepStrictEqual(["verdict", "changeSize", "relative", "oldTottime", "oldCalls", "interval", "adjusted"].map((key) => cellText(known, grouping, 0, key)),
    ["slower", "+1 s", "+50.0%", "2 s", "1", "–", "0.001"]);
  assert.strictEqual(cellText(known, grouping, 1, "oldCalls"), "2.5");
  assert.ok(columnsOf().length > changesOf(profile(false)).columnsOf().length, "nothing is said of tests that were not made");
  const total = {old: {tottime: 1}, new: {tottime: 1.5}, change: 0.5, relative: 0.5, verdict: "same"};
  assert.strictEqual(totalText({total, test: null}), "1 s before, 1.5 s now: +500 ms (+50.0%), not judged");
  assert.strictEqual(totalText({total, test: "t"}), "1 s before, 1.5 s now: +500 ms (+50.0%), not told from noise");
});
