// Callers and callees around one row.
import {BY} from "./decode.js";
import {element, named, replaceContents} from "./dom.js";
import {formatCount, formatSeconds, formatShare} from "./format.js";
import {cellText} from "./table.js";

const MOST = 200;

// Pairs by their callers; those by their callees lie together already.
function pairsByCaller(pairs) {
  pairs.byCaller ??= Uint32Array.from({length: pairs.count}, (_, i) => i).sort((a, b) => pairs.caller[a] - pairs.caller[b] || a - b);
  return pairs.byCaller;
}

// The first of ascending numbers that is at least `wanted`.
function firstAtLeast(count, numberAt, wanted) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numberAt(middle) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

// As which a row calls others. What was called from which of a function's places is not known: of rows by these it is the function, wherever
// it was called.
export function callerOf(grouping, row) {
  if (!(grouping.by & BY.site) || row < 0) return row;
  const found = grouping.outside.findIndex((one) => one.function === grouping.function[row] && one.signature === grouping.signature[row] &&
    Object.entries(one.groups).every(([name, text]) => name === "site" || text === grouping.groups[name][row]));
  return found < 0 ? row : -1 - found;
}

// The pairs in which a row is the callee, and those in which it is the caller, the longest first.
export function pairsOf(grouping, row) {
  const {pairs} = grouping, callers = [], callees = [], order = pairsByCaller(pairs), asCaller = callerOf(grouping, row);
  for (let i = firstAtLeast(pairs.count, (at) => pairs.callee[at], row); i < pairs.count && pairs.callee[i] === row; i++) callers.push(i);
  for (let i = firstAtLeast(pairs.count, (at) => pairs.caller[order[at]], asCaller); i < pairs.count && pairs.caller[order[i]] === asCaller; i++) callees.push(order[i]);
  const longest = (a, b) => pairs.cumtime[b] - pairs.cumtime[a] || pairs.ncalls[b] - pairs.ncalls[a] || a - b;
  return {callers: callers.sort(longest), callees: callees.sort(longest)};
}

// Is it the row of an identity, which may be that of its function?
function isOf(grouping, row, identity) {
  return grouping.function[row] === identity.function.number &&
    !(identity.signature && grouping.by & BY.signature && grouping.signature[row] !== identity.signature.number);
}

// The row that an identity has in a grouping: the one that it names, else that of the most time where there are several; -1: none.
export function rowOf(grouping, identity) {
  let found = -1;
  if (identity.row >= 0 && identity.row < grouping.listed && isOf(grouping, identity.row, identity)) return identity.row;
  for (let row = 0; row < grouping.listed; row++) {
    if (!isOf(grouping, row, identity)) continue;
    if (found < 0 || grouping.tottime[row] > grouping.tottime[found]) found = row;
  }
  return found;
}

export class CallersView {
  constructor(profile, view) {
    this.profile = profile;
    this.view = view;
    this.node = element("section", {class: "view callers", "aria-label": "callers and callees"});
  }

  show(state, grouping) {
    const identity = this.profile.identityOf(state.row);
    if (!(grouping.by & 1)) return replaceContents(this.node, element("p", {}, "These rows are not functions: group by function or signature."));
    const row = identity ? rowOf(grouping, identity) : this.longest(grouping);
    if (row < 0) return replaceContents(this.node, element("p", {}, "No row is chosen, or the one that is has no calls in this grouping."));
    const {callers, callees} = pairsOf(grouping, row);
    return replaceContents(this.node,
      this.list("Called by", grouping, callers, grouping.pairs.caller, grouping.cumtime[row], "No caller is recorded: it is outermost."),
      this.middle(grouping, row),
      this.list(callerOf(grouping, row) === row ? "Calls" : "Calls, wherever it was called", grouping, callees, grouping.pairs.callee, grouping.cumtime[row], "It calls nothing that is recorded."));
  }

  longest(grouping) {
    return grouping.cumtime.reduce((best, time, row) => best < 0 || time > grouping.cumtime[best] ? row : best, -1);
  }

  middle(grouping, row) {
    const {profile} = this, fact = (term, key) => [element("dt", {}, term), element("dd", {}, cellText(profile, grouping, row, key))];
    return element("div", {class: "middle-row"}, element("h2", {}, named(profile.nameOf(grouping, row).slice(0, 2000), {class: "who"})),
      element("p", {class: "where"}, named(profile.placeOf(grouping, row))),
      ...profile.groupsOf(grouping, row).map(([group, text]) => element("p", {class: "where"}, group + " ", named(text))),
      element("dl", {}, ...fact("calls", "ncalls"), ...fact("own time", "tottime"), ...fact("own per call", "tottimePercall"),
        ...fact("with callees", "cumtime"), ...fact("with per call", "cumtimePercall"), ...fact("shortest", "min"), ...fact("longest", "max")));
  }

  list(title, grouping, numbers, rows, whole, nothing) {
    const {pairs} = grouping, shown = numbers.slice(0, MOST);
    const items = shown.map((pair) => {
      const share = whole > 0 ? Math.min(pairs.cumtime[pair] / whole, 1) : 0, bar = element("span", {class: "bar", "aria-hidden": "true"});
      bar.style.width = (100 * share).toFixed(2) + "%";
      return element("li", {}, element("button", {type: "button", title: this.profile.nameOf(grouping, rows[pair]).slice(0, 2000),
        onclick: () => this.choose(grouping, rows[pair])}, bar, named(this.profile.nameOf(grouping, rows[pair]).slice(0, 300), {class: "who"}),
      element("span", {class: "where"}, formatSeconds(pairs.cumtime[pair]) + ", " + formatShare(share) + ", " + formatCount(pairs.ncalls[pair]) + " calls")));
    });
    return element("div", {class: "pairs"}, element("h2", {}, title + " (" + formatCount(numbers.length) + ")"),
      items.length > 0 ? element("ul", {}, ...items) : element("p", {class: "where"}, nothing),
      numbers.length > MOST ? element("p", {class: "where"}, "and " + formatCount(numbers.length - MOST) + " of less time") : null);
  }

  choose(grouping, row) {
    this.view.set({row: this.profile.rowKeyOf(grouping, row)}, true);
    this.node.querySelector("button")?.focus();
  }
}
