// Conditions on arguments: what docs/expressions.md says of the language holds in a page too.
import assert from "node:assert";
import test from "node:test";
import {bindPath, evaluate, isAbsent, parseCondition, pathsOf} from "../../output/html/expression.js";
import {ConditionError, splitCondition} from "../../output/html/expression_words.js";
import {FALSE, TRUE, UNKNOWN, runsOf, truthsOf} from "../../output/html/signature_runs.js";

const MODES = new Map([["FAST", 1], ["SLOW", 2]]);

function argument(name, more = {}) {
  return {name, isGroup: false, children: 0, join: -1, enumeration: null, ...more};
}

function exact(value) {
  return {kind: "range", low: value, high: value};
}

const SIGNATURE = {
  layout: [argument("n"), argument("mode", {enumeration: MODES}), argument("path"), argument("t", {isGroup: true, children: 2}),
    argument("dtype", {enumeration: MODES}), argument("shape"), argument("cb"), argument("a", {join: 0}), argument("x"), argument("lost"),
    argument("wide"), argument("req->hdr.kind"), argument("huge")],
  values: [exact(4096), exact(1), {kind: "string", text: "/etc/hosts", isCut: false}, {kind: "unknown"}, exact(2),
    {kind: "list", list: [64, 3], isCut: false}, {kind: "function", text: "on_read"}, {kind: "not null"}, {kind: "float", number: 0.5},
    {kind: "unknown"}, {kind: "range", low: 4096, high: 8191}, exact(7), exact(18446744073709551615n)],
};

const CODES = new Map([[false, FALSE], [true, TRUE], [null, UNKNOWN]]);

// Of one signature, and of a run of several: the same.
function truth(text, signature = SIGNATURE) {
  const condition = parseCondition(text), one = evaluate(condition, signature), [run] = runsOf([signature, signature]);
  assert.deepStrictEqual([...truthsOf(condition, run)], [CODES.get(one), CODES.get(one)], text);
  return one;
}

test("comparisons are true, false or unknown", () => {
  const cases = {
    "n >= 4096 && mode == FAST": true, "n == 4K": true, "n > 4K": false, "mode != FAST": false, "mode == SLOW": false, "FAST == mode": true,
    "path == \"/etc/hosts\"": true, "path == \"/etc\"": false, "path == NULL": false, "path.len == 10": true,
    "t.dtype == SLOW": true, "t.shape[0] > 63": true, "t.shape[1] == 3": true, "t.shape[2] == 3": null, "t.shape.len == 2": true,
    "cb == on_read": true, "cb == other": false, "cb == NULL": false, "a != NULL": true, "a.len == 4096": true,
    "x == 0.5": true, "x < 1": true, "x >= 5e-1": true, "lost == 3": null, "!(lost == 3)": null, "lost == 3 || n": true, "lost == 3 && !n": false,
    "wide >= 4096": true, "wide > 100000": false, "wide == 5000": null, "wide": true, "req->hdr.kind == 7": true, "req.hdr.kind == 7": true,
    "n & 4096": true, "n & 1 == 0": true, "n | 1 == 4097": true, "mode == 'a'": false, "n == 0x1000": true, "n == -1": false, "absent == 1": null,
    "huge == 18446744073709551615": true, "huge > 0x7fffffffffffffff": true, "huge == 18446744073709551614": false, "!!n": true, "true": true,
    "n == 0b1000000000000": true, "n == 4096ul": true,
  };
  for (const [text, wanted] of Object.entries(cases)) assert.strictEqual(truth(text), wanted, text);
});

test("a text that was cut off is known up to there", () => {
  const signature = {layout: [argument("s")], values: [{kind: "string", text: "abc", isCut: true}]};
  for (const [text, wanted] of Object.entries({"s == \"abcd\"": null, "s == \"abc\"": null, "s == \"xbc\"": false, "s == \"ab\"": false, "s.len > 2": true, "s.len > 3": null}))
    assert.strictEqual(truth(text, signature), wanted, text);
});

test("of many signatures each is compared", () => {
  const layout = SIGNATURE.layout.slice(0, 2), other = [argument("n", {enumeration: MODES})], signatures = [
    [exact(1), exact(1)], [{kind: "unknown"}, exact(2)], [{kind: "range", low: 4, high: 7}, {kind: "unknown"}], [exact(9n), exact(7)], [exact(-3), {kind: "range", low: 2, high: Infinity}],
    [{kind: "range", low: -Infinity, high: 2}, exact(2)], [{kind: "float", number: 4.5}, {kind: "null"}], [{kind: "string", text: "9", isCut: false}, exact(0)], [exact(2 ** 40), exact(1)],
  ].map((values) => ({layout, values}));
  signatures.push({layout: other, values: [exact(2)]}, {layout: other, values: [exact(3)]}, {layout: null, values: null}, {layout, values: [exact(6), exact(2)]});
  assert.deepStrictEqual(runsOf(signatures).map(({first, last}) => [first, last]), [[0, 9], [9, 11], [11, 12], [12, 13]]);
  for (const text of ["n > 3", "n >= 4", "n < 4", "n <= 1", "n == 5", "n != 5", "3 < n", "n == 9", "n > 0xffffffffffffffff", "n < 4.25", "mode == SLOW", "mode == UNHEARD", "n == SLOW", "n == NULL",
    "n != 1 || mode == FAST", "!(n < 9) && mode", "n & 1", "n & 0x10000000000", "n | 8 == 9", "n & SLOW == SLOW", "mode & SLOW == 2", "n == n", "n >= 4 && absent == 2", "absent", "n.len"]) {
    const condition = parseCondition(text);
    assert.deepStrictEqual(runsOf(signatures).flatMap((run) => [...truthsOf(condition, run)]), signatures.map((signature) =>
      CODES.get(signature.layout ? evaluate(condition, signature) : null)), text);
  }
});

test("of what a function has no argument for, nothing is undecided", () => {
  const cases = {
    "lost == 3": false, "wide == 5000": false, "mode == \"FAST\"": false, "absent == 1": true, "!(absent == 1)": true, "absent": true, "t.shape[2] == 3": true,
    "lost == 3 && absent == 1": true, "lost == 3 || absent == 1": false, "n == 1 || absent == 1": true, "n && lost == 3": false, "mode == UNHEARD": false,
  };
  for (const [text, wanted] of Object.entries(cases)) {
    const condition = parseCondition(text);
    for (const path of pathsOf(condition)) path.isConstant = path.path === "UNHEARD";
    assert.strictEqual(evaluate(condition, SIGNATURE), null, text);
    assert.strictEqual(isAbsent(condition, SIGNATURE), wanted, text);
  }
});

test("an enumerator is no text, nor is that of 0", () => {
  const signature = {layout: [argument("mode", {enumeration: new Map([["OFF", 0], ["ON", 1]])})], values: [exact(0)]};
  for (const [text, wanted] of Object.entries({"mode == \"OFF\"": null, "mode != \"OFF\"": null, "mode == OFF": true, "mode == 0": true})) assert.strictEqual(truth(text, signature), wanted, text);
});

test("calls without arguments answer nothing", () => {
  assert.strictEqual(evaluate(parseCondition("n == 1"), {layout: null, values: null}), null);
});

test("mistakes are told with their column", () => {
  const cases = {
    "n >= 4096 && mode = FAST": [19, "'=' is written '=='"], "n <": [4, "expected a name or a value, not the end"], "(n": [3, "expected ')' for the '(' of column 1"],
    "n == 1 == 2": [8, "comparisons do not chain: join two with &&"], "n 1": [3, "expected && or || or the end here"], "\"abc": [1, "the literal has no closing \""],
    "'ab'": [1, "a character is one byte"], "a[99]": [2, "at most 16 elements"], "a[": [2, "expected a number and ']' after '['"], "4q": [2, "no suffix of a number"],
    "0x": [1, "expected digits after '0x'"], "99999999999999999999": [1, "does not fit 64 bits"], "n ? 1": [3, "unexpected '?'"], "(n == 1) & 2": [10, "no value that this could be applied to"],
  };
  for (const [text, [column, words]] of Object.entries(cases)) {
    assert.throws(() => parseCondition(text), (error) => {
      assert.ok(error instanceof ConditionError, text);
      assert.strictEqual(error.column, column, text);
      assert.ok(error.message.includes(words), error.message);
      return true;
    }, text);
  }
  assert.throws(() => parseCondition("(".repeat(200) + "n"), /nest more than 100 deep/);
});

test("words and paths", () => {
  assert.deepStrictEqual(splitCondition("a.b[2] <= -5").map(({kind}) => kind), ["path", "<=", "integer", "end"]);
  assert.deepStrictEqual(pathsOf(parseCondition("a == 1 && !(b->c || d)")).map(({path}) => path), ["a", "b.c", "d"]);
  assert.deepStrictEqual(bindPath(SIGNATURE.layout, "t.dtype"), {argument: 4, isLength: false});
  assert.strictEqual(bindPath(SIGNATURE.layout, "dtype"), null, "fields of a group are found through it alone");
  assert.strictEqual(bindPath(SIGNATURE.layout, "t.none"), null);
});
