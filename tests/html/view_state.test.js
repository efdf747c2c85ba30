// Addresses keep the view, whatever is in them.
import assert from "node:assert";
import test from "node:test";
import {DEFAULTS, ViewState, formatState, parseState} from "../../output/html/view_state.js";

function place(hash) {
  const calls = [];
  return {location: {hash}, calls, listeners: [], addEventListener(_, listener) { this.listeners.push(listener); },
    history: {pushState: (_, __, to) => calls.push(["push", to]), replaceState: (_, __, to) => calls.push(["replace", to])}};
}

test("a state becomes an address and a state again", () => {
  const state = {...DEFAULTS, view: "icicle", function: "a&b=c#\"<\u202e", signature: "n >= 1 && m", zoom: "12"};
  assert.deepStrictEqual(parseState(formatState(state)), state);
  assert.strictEqual(formatState(DEFAULTS), "#");
  assert.deepStrictEqual(parseState("#unknown=1&view=table&%zz"), DEFAULTS);
});

test("changes are told once, and keep the address", () => {
  const window = place("#view=about"), view = new ViewState(window), heard = [];
  view.listen((state, before) => heard.push([state.view, before.view]));
  view.set({view: "table"});
  view.set({view: "table"});
  view.set({view: "icicle"}, true);
  assert.deepStrictEqual(heard, [["table", "about"], ["icicle", "table"]]);
  assert.deepStrictEqual(window.calls, [["replace", "#"], ["push", "#view=icicle"]]);
  window.location.hash = "#view=about&zoom=3";
  window.listeners[0]();
  assert.deepStrictEqual([view.get("view"), view.get("zoom")], ["about", "3"]);
});
