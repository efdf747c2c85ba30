// The tree of calls, laid out by time.
import assert from "node:assert";
import test from "node:test";
import {Tree} from "../../output/html/tree.js";

// main 1 s: decode 2 s (inner 3 s), 4 smaller ones 0.5 s; other 4 s.
const PAGE = {functions: ["main", "decode", "inner", "other"].map((name, number) => ({number, name, stage: name === "decode" ? "0:1:decode" : ""}))};
const DECODED = {
  frames: [0, 1, 2, 3].map((number) => ({text: PAGE.functions[number].name + "()", function: number, signature: number === 2 ? 7 : -1, module: number === 3 ? "b" : "a"})),
  depth: Uint32Array.of(0, 1, 2, 3, 2, 1), frame: Int32Array.of(-1, 0, 1, 2, -1, 3), calls: Float64Array.of(0, 1, 2, 3, 9, 4),
  own: Float64Array.of(0, 1, 2, 3, 0.5, 4), leftOut: new Map([[4, 4]]),
};

test("a node is as wide as its own time and its callees", () => {
  const tree = new Tree(PAGE, DECODED);
  assert.deepStrictEqual([0, 1, 2, 3, 4, 5].map((node) => tree.weight(node)), [10.5, 6.5, 5, 3, 0.5, 4]);
  assert.deepStrictEqual([...tree.parent], [-1, 0, 1, 2, 1, 0]);
  assert.deepStrictEqual(tree.children(1), [2, 4]);
  assert.deepStrictEqual(tree.ancestors(3), [0, 1, 2]);
  assert.strictEqual(tree.name(4), "(4 smaller ones)");
});

test("what is too narrow or too deep is not listed, nor is what is below it", () => {
  const tree = new Tree(PAGE, DECODED);
  assert.deepStrictEqual(tree.wide(0, 1), [0, 1, 2, 3, 5]);
  assert.deepStrictEqual(tree.wide(1, 0, 2), [1, 2, 4]);
  assert.deepStrictEqual(tree.wide(0, 4.5), [0, 1, 2]);
});

test("nodes know their stage, module and row", () => {
  const tree = new Tree(PAGE, DECODED);
  assert.deepStrictEqual([1, 2, 3, 4].map((node) => tree.stage(node)), [null, "0:1:decode", "0:1:decode", null]);
  assert.deepStrictEqual([tree.key(2), tree.key(3), tree.key(4), tree.key(0)], ["1", "2.7", "", ""]);
  assert.strictEqual(tree.bestColor, "stage");
});

test("time that is found is counted once", () => {
  const tree = new Tree(PAGE, DECODED);
  const found = tree.search((text) => /decode|inner/.test(text));
  assert.deepStrictEqual([found.seconds, found.nodes, [...found.frames]], [5, 1, [0, 1, 1, 0]]);
});

test("arrow keys lead to the widest callee, back, and beside", () => {
  const tree = new Tree(PAGE, DECODED), step = (node, key, root = 0) => tree.step(node, root, key, "ArrowDown", "ArrowUp");
  assert.deepStrictEqual([step(0, "ArrowDown"), step(1, "ArrowDown"), step(3, "ArrowDown")], [1, 2, 3]);
  assert.deepStrictEqual([step(2, "ArrowUp"), step(0, "ArrowUp"), step(1, "ArrowUp", 1)], [1, 0, 1]);
  assert.deepStrictEqual([step(1, "ArrowRight"), step(5, "ArrowRight"), step(5, "ArrowLeft"), step(1, "ArrowLeft")], [5, 5, 1, 1]);
  assert.deepStrictEqual([step(1, "ArrowRight", 1), step(1, "x"), tree.step(1, 0, "ArrowDown", "ArrowUp", "ArrowDown")], [1, null, 0]);
});
