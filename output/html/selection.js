// Which rows are shown, and in which order.
import {ConditionError} from "./expression_words.js";
import {bindPath, isAbsent, parseCondition, pathsOf} from "./expression.js";
import {TRUE, UNKNOWN, truthsOf} from "./signature_runs.js";
import {BY} from "./decode.js";

export class FilterError extends Error {
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}

// What the classes of a set in a glob hold.
const CLASSES = {alpha: "A-Za-z", digit: "0-9", alnum: "0-9A-Za-z", upper: "A-Z", lower: "a-z", xdigit: "0-9A-Fa-f", blank: " \\t", space: " \\t-\\r",
  punct: "!-\\/:-@\\[-`{-~", cntrl: "\\0-\\x1f\\x7f", graph: "!-~", print: " -~"};

// The character of a set at a place, which a backslash may stand before: {code, size}, or null at the end.
function readMember(glob, at) {
  const start = glob[at] === "\\" ? at + 1 : at, code = glob.codePointAt(start);
  return code === undefined ? null : {code, size: start - at + (code > 0xffff ? 2 : 1)};
}

function memberSource({code}) {
  return "\\u{" + code.toString(16) + "}";
}

// The set that begins at a place: {source, size}, or null where it has no end, and is none. A range that runs backwards is empty.
function readSet(glob, at) {
  const isNegated = glob[at + 1] === "!" || glob[at + 1] === "^", first = at + (isNegated ? 2 : 1), named = /\[:([a-z]+):\]/y;
  let source = "", i = first;
  while (glob[i] !== "]" || i === first) {
    named.lastIndex = i;
    const found = named.exec(glob), low = readMember(glob, i);
    if (low === null) return null;
    i += found ? found[0].length : low.size;
    const isRange = !found && glob[i] === "-" && i + 1 < glob.length && glob[i + 1] !== "]", high = isRange ? readMember(glob, i + 1) : low;
    if (high === null) return null;
    if (isRange) i += 1 + high.size;
    if (found) source += CLASSES[found[1]] ?? "";
    else if (low.code <= high.code) source += memberSource(low) + "-" + memberSource(high);
  }
  return {source: "[" + (isNegated ? "^" : "") + source + "]", size: i + 1 - at};
}

// A glob as fnmatch() has it.
export function globPattern(glob) {
  let source = "";
  for (let i = 0; i < glob.length; i++) {
    const set = glob[i] === "[" ? readSet(glob, i) : null;
    if (glob[i] === "*") source += "[^]*";
    else if (glob[i] === "?") source += "[^]";
    else if (set) {
      source += set.source;
      i += set.size - 1;
    } else if (glob[i] === "\\" && i + 1 === glob.length) {
      source += "[]"; // it stands before nothing, and no text is it
    } else {
      if (glob[i] === "\\") i++;
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
  for (const node of pathsOf(condition)) {
    const {path, column} = node;
    node.isConstant = !layouts.some((layout) => bindPath(layout, path));
    const isKnown = !node.isConstant || layouts.some((layout) => layout.some(({enumeration}) => enumeration && enumeration.has(path))) ||
      profile.functions.some(({name}) => name === path);
    if (!isKnown) throw new ConditionError(column, "no function here has an argument '" + path + "', and no enumerator or function is called so");
  }
}

// By number of a signature: 1 where the condition is true. Undecided are those that it may be true of.
function signaturesBy(profile, text) {
  const condition = conditionOf(profile, text), passes = new Uint8Array(profile.signatures.length);
  let undecided = 0;
  for (const run of profile.runs()) {
    const truths = truthsOf(condition, run);
    for (let i = 0; i < truths.length; i++) {
      if (truths[i] === TRUE) passes[run.first + i] = 1;
      else if (truths[i] === UNKNOWN && !isAbsent(condition, profile.signatures[run.first + i])) undecided++;
    }
  }
  return {passes, undecided};
}

const FIELDS = ["function", "signature", "stage", "thread", "module"];

// As filterRows(); what a grouping was asked last is kept, since most changes of a state leave its filters as they are.
export function filteredRows(profile, grouping, state) {
  const filters = FIELDS.map((field) => state[field]);
  if (!grouping.filtered || filters.some((text, i) => text !== grouping.filtered.filters[i])) {
    const {passes, undecided} = filterRows(profile, grouping, state);
    grouping.filtered = {filters, passes, undecided, count: sumOf(passes)};
  }
  return grouping.filtered;
}

function sumOf(bytes) {
  let sum = 0;
  for (let i = 0; i < bytes.length; i++) sum += bytes[i];
  return sum;
}

// Leaves those rows that pass of which what they are numbered by does.
function leave(passes, numbers, passing) {
  for (let i = 0; i < passes.length; i++) passes[i] &= passing[numbers[i]];
}

// The texts of a group's rows by number: a row's number, and the texts.
function numberedTexts(grouping, group) {
  grouping.numbered ??= {};
  if (grouping.numbered[group]) return grouping.numbered[group];
  const texts = [], known = new Map(), numbers = new Uint32Array(grouping.listed), all = grouping.groups[group];
  for (let i = 0; i < numbers.length; i++) {
    const text = all[i] ?? null;
    let number = known.get(text);
    if (number === undefined) {
      known.set(text, number = texts.length);
      texts.push(text);
    }
    numbers[i] = number;
  }
  return grouping.numbered[group] = {numbers, texts};
}

// The rows that the filters of a state let through, as a byte each: {passes, undecided}. A FilterError names the field.
export function filterRows(profile, grouping, state) {
  const passes = new Uint8Array(grouping.listed).fill(1);
  let undecided = 0;
  if (state.function) {
    const regex = regexOf("function", state.function);
    leave(passes, grouping.function, Uint8Array.from(profile.places, (place) => regex.test(place)));
  }
  if (state.signature) {
    if (!(grouping.by & BY.signature)) throw new FilterError("signature", "these rows have no signatures: group by signature");
    const found = signaturesBy(profile, state.signature);
    undecided = found.undecided;
    leave(passes, grouping.signature, found.passes);
  }
  for (const group of ["stage", "thread", "module"]) {
    if (!state[group]) continue;
    if (!grouping.groups[group]) throw new FilterError(group, "these rows are of all " + group + "s: group by " + group);
    const pattern = globPattern(state[group]), {numbers, texts} = numberedTexts(grouping, group);
    // Labels of stages have brackets, which a glob reads as a set: a glob that is the label means it, too.
    const isMeant = (word) => pattern.test(word) || group === "stage" && word === state.stage;
    leave(passes, numbers, Uint8Array.from(texts, (text) => wordsOf(group, text).some(isMeant)));
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

// The same, those of unknown values behind the others: what is ordered by equal keys stays in this order.
function knownFirst(values) {
  const numbers = new Uint32Array(values.length);
  let count = 0;
  for (let i = 0; i < values.length; i++) if (!Number.isNaN(values[i])) numbers[count++] = i;
  for (let i = 0; count < values.length; i++) if (Number.isNaN(values[i])) numbers[count++] = i;
  return numbers;
}

// The numbers of values that are at least 0 or unknown (NaN) in their order; of equal ones the first is first. Such numbers are ordered
// as the bits that they are made of: 16 of these at a time, the lowest first.
export function orderOf(values, up) {
  const count = values.length, unknown = up ? Infinity : 0;
  const known = new Float64Array(count);
  for (let i = 0; i < count; i++) known[i] = Number.isNaN(values[i]) ? unknown : values[i] + 0;
  let order = knownFirst(values), next = new Uint32Array(count);
  const keys = new Uint16Array(known.buffer), starts = new Uint32Array(65537), flip = up ? 0 : 65535;
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
