// Which rows are shown, and in which order.
import {ConditionError} from "./expression_words.js";
import {bindPath, evaluate, parseCondition, pathsOf} from "./expression.js";
import {BY} from "./decode.js";

export class FilterError extends Error {
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}

// A glob as fnmatch() has it.
export function globPattern(glob) {
  let source = "";
  for (let i = 0; i < glob.length; i++) {
    const set = glob[i] === "[" ? /^\[([!^]?)(\]?[^\]]*)\]/.exec(glob.slice(i)) : null;
    if (glob[i] === "*") source += "[^]*";
    else if (glob[i] === "?") source += "[^]";
    else if (set) {
      source += "[" + (set[1] ? "^" : "") + set[2].replace(/[\\\]^]/g, "\\$&") + "]";
      i += set[0].length - 1;
    } else {
      if (glob[i] === "\\" && i + 1 < glob.length) i++;
      source += glob[i].replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    }
  }
  return new RegExp("^" + source + "$", "u");
}

// The texts by which a group may be called: its label, and the parts that `report` takes as well.
function wordsOf(group, text) {
  if (text === null) return ["-"];
  if (group === "stage") return [text, text.replace(/^\d+:\d+:/, "").replace(/\[\d+\]$/, "")];
  if (group === "thread") {
    const found = /^(.*) \((\d+)\)$/.exec(text);
    return found ? [text, found[1], found[2]] : [text];
  }
  if (group === "module") return [text, text.slice(text.lastIndexOf("/") + 1)];
  return [text];
}

function regexOf(field, text) {
  try {
    return new RegExp(text);
  } catch (error) {
    throw new FilterError(field, error.message);
  }
}

function conditionOf(profile, text) {
  try {
    const condition = parseCondition(text);
    checkNames(profile, condition);
    return condition;
  } catch (error) {
    if (error instanceof ConditionError) throw new FilterError("signature", error.message);
    throw error;
  }
}

// A name must be an argument of some function, an enumerator or a function.
function checkNames(profile, condition) {
  const {layouts} = profile.page;
  for (const {path, column} of pathsOf(condition)) {
    const isKnown = layouts.some((layout) => bindPath(layout, path) || layout.some(({enumeration}) => enumeration && enumeration.has(path))) ||
      profile.functions.some(({name}) => name === path);
    if (!isKnown) throw new ConditionError(column, "no function here has an argument '" + path + "', and no enumerator or function is called so");
  }
}

// By number of a signature: 1 where the condition is true.
function signaturesBy(profile, text) {
  const condition = conditionOf(profile, text), passes = new Uint8Array(profile.signatures.length);
  let undecided = 0;
  profile.readValues();
  for (const signature of profile.signatures) {
    const truth = signature.values ? evaluate(condition, signature) : null;
    passes[signature.number] = truth === true ? 1 : 0;
    if (truth === null) undecided++;
  }
  return {passes, undecided};
}

const FIELDS = ["function", "signature", "stage", "thread", "module"];

// As filterRows(); what a grouping was asked last is kept, since most changes of a state leave its filters as they are.
export function filteredRows(profile, grouping, state) {
  const filters = FIELDS.map((field) => state[field]);
  if (!grouping.filtered || filters.some((text, i) => text !== grouping.filtered.filters[i])) {
    const {passes, undecided} = filterRows(profile, grouping, state);
    let count = 0;
    for (let i = 0; i < passes.length; i++) count += passes[i];
    grouping.filtered = {filters, passes, undecided, count};
  }
  return grouping.filtered;
}

// The rows that the filters of a state let through, as a byte each: {passes, undecided}. A FilterError names the field.
export function filterRows(profile, grouping, state) {
  const passes = new Uint8Array(grouping.listed).fill(1);
  let undecided = 0;
  if (state.function) {
    const regex = regexOf("function", state.function);
    const byFunction = profile.places.map((place) => regex.test(place));
    for (let i = 0; i < passes.length; i++) if (!byFunction[grouping.function[i]]) passes[i] = 0;
  }
  if (state.signature) {
    if (!(grouping.by & BY.signature)) throw new FilterError("signature", "these rows have no signatures: group by signature");
    const found = signaturesBy(profile, state.signature);
    undecided = found.undecided;
    for (let i = 0; i < passes.length; i++) if (!found.passes[grouping.signature[i]]) passes[i] = 0;
  }
  for (const group of ["stage", "thread", "module"]) {
    if (!state[group]) continue;
    if (!grouping.groups[group]) throw new FilterError(group, "these rows are of all " + group + "s: group by " + group);
    const pattern = globPattern(state[group]), known = new Map();
    grouping.groups[group].forEach((text, i) => {
      if (i >= passes.length) return;
      if (!known.has(text)) known.set(text, wordsOf(group, text).some((word) => pattern.test(word)));
      if (!known.get(text)) passes[i] = 0;
    });
  }
  return {passes, undecided};
}

// The values of a column, by row; of names null, as rows are in their order.
export function columnOf(grouping, key) {
  switch (key) {
  case "name": return null;
  case "tottimePercall": return grouping.tottime.map((time, i) => grouping.ncalls[i] ? time / grouping.ncalls[i] : NaN);
  case "cumtimePercall": return grouping.cumtime.map((time, i) => grouping.pcalls[i] ? time / grouping.pcalls[i] : NaN);
  default: return grouping[key];
  }
}

// All rows in the order of a column, the largest first unless `up`; what is unknown is last. Kept for the next time.
export function sortedRows(grouping, key, up) {
  grouping.orders ??= new Map();
  const name = key + (up ? " up" : "");
  if (!grouping.orders.has(name)) {
    const values = columnOf(grouping, key);
    grouping.orders.set(name, values ? orderOf(values, up) : up ? countUp(grouping.listed) : countUp(grouping.listed).reverse());
  }
  return grouping.orders.get(name);
}

// 0, 1, 2 ...: from() with a function takes many times as long.
function countUp(count) {
  const numbers = new Uint32Array(count);
  for (let i = 0; i < count; i++) numbers[i] = i;
  return numbers;
}

// The numbers of values that are at least 0 or unknown (NaN) in their order; of equal ones the first is first. Such numbers are ordered
// as the bits that they are made of: 16 of these at a time, the lowest first.
export function orderOf(values, up) {
  const count = values.length, unknown = up ? Infinity : 0;
  const known = new Float64Array(count);
  for (let i = 0; i < count; i++) known[i] = Number.isNaN(values[i]) ? unknown : values[i] + 0;
  const keys = new Uint16Array(known.buffer), starts = new Uint32Array(65537), flip = up ? 0 : 65535;
  let order = countUp(count), next = new Uint32Array(count);
  for (let digit = 0; digit < 4; digit++) {
    starts.fill(0);
    for (let i = digit; i < 4 * count; i += 4) starts[(keys[i] ^ flip) + 1]++;
    // Of small whole numbers the lowest bits are all 0.
    if (count > 0 && starts[(keys[digit] ^ flip) + 1] === count) continue;
    for (let i = 1; i < 65537; i++) starts[i] += starts[i - 1];
    for (let i = 0; i < count; i++) {
      const row = order[i];
      next[starts[keys[4 * row + digit] ^ flip]++] = row;
    }
    [order, next] = [next, order];
  }
  return order;
}

// The rows of an order that pass.
export function chosenRows(order, passes) {
  const rows = new Uint32Array(order.length);
  let count = 0;
  for (let i = 0; i < order.length; i++) if (passes[order[i]]) rows[count++] = order[i];
  return rows.subarray(0, count);
}
