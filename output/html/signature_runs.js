// Conditions on the arguments of many signatures: of those that follow each other and have the same layout, a run, the numbers of an
// argument are kept as a column, and compared without a look at the signatures. What is true is what expression.js says of each.
import {COMPARISONS, boundIn, both, either, evaluate, negate, pathsOf, valueOf} from "./expression.js";

export const FALSE = 0;
export const TRUE = 1;
export const UNKNOWN = 2;
const TRUTHS = [false, true, null];
const ZERO = {kind: "integer", value: 0};

function codeOf(truth) {
  return truth === null ? UNKNOWN : truth ? TRUE : FALSE;
}

// The codes of two conditions joined, by 3 times the left one and the right one; of one negated.
function tableOf(join) {
  return Uint8Array.from({length: 9}, (_, i) => codeOf(join(TRUTHS[Math.floor(i / 3)], TRUTHS[i % 3])));
}
const JOINED = {"||": tableOf(either), "&&": tableOf(both)};
const NEGATED = Uint8Array.from(TRUTHS, (truth) => codeOf(negate(truth)));

export class Run {
  constructor(signatures, first, last) {
    this.signatures = signatures;
    this.first = first;
    this.last = last;
    this.layout = signatures[first].layout;
    this.columns = [];
  }

  get count() {
    return this.last - this.first;
  }

  // The least and the largest that an argument may be, by signature: not a number where it is no number, or one that these cannot hold.
  column(argument) {
    if (this.columns[argument]) return this.columns[argument];
    const {count, first, signatures} = this, low = new Float64Array(count), high = new Float64Array(count);
    let hasOthers = false;
    for (let i = 0; i < count; i++) {
      const value = signatures[first + i].values[argument];
      const isNumber = value.kind === "range" && typeof value.low === "number" && typeof value.high === "number";
      low[i] = isNumber ? value.low : NaN;
      high[i] = isNumber ? value.high : NaN;
      hasOthers ||= !isNumber;
    }
    return this.columns[argument] = {low, high, hasOthers, enumeration: this.layout[argument].enumeration};
  }
}

export function runsOf(signatures) {
  const runs = [];
  for (let first = 0, last = 0; first < signatures.length; first = last) {
    while (last < signatures.length && signatures[last].layout === signatures[first].layout) last++;
    runs.push(new Run(signatures, first, last));
  }
  return runs;
}

// Is it the same of all signatures of a run?
function isFixed(node, layout) {
  return pathsOf(node).every((path) => !boundIn(path, layout));
}

function fixedValue(node, layout, enumeration) {
  return isFixed(node, layout) ? valueOf(node, {layout, values: []}, enumeration) : null;
}

// The column of an argument, or of some of its bits; null where there is none for the node.
function columnOf(node, run) {
  if (node.kind === "path") {
    const bound = node.index < 0 ? boundIn(node, run.layout) : null;
    return bound && !bound.isLength ? run.column(bound.argument) : null;
  }
  if (node.kind !== "&" && node.kind !== "|") return null;
  const of = columnOf(node.left, run), mask = of ? fixedValue(node.right, run.layout, of.enumeration) : null;
  if (!mask || mask.kind !== "range" || mask.low !== mask.high) return null;
  const values = new Float64Array(run.count).fill(NaN), isSmall = (value) => value >= 0 && value < 2 ** 31;
  let hasOthers = false;
  for (let i = 0; i < values.length; i++) {
    if (of.low[i] === of.high[i] && isSmall(of.low[i]) && isSmall(mask.low)) values[i] = node.kind === "&" ? of.low[i] & mask.low : of.low[i] | mask.low;
    else hasOthers = true;
  }
  return {low: values, high: values, hasOthers, enumeration: of.enumeration || mask.enumeration};
}

// Loops over a column, by sign: the code `yes` where the range is below, above or equal to [least, most], `no` where it is not, else
// UNKNOWN, which it is where there is no number. Loops of their own, since what is called for each number takes most of the time.
const LOOPS = {
  "<": ({low, high}, {low: least, high: most}, yes, no, truths) => {
    for (let i = 0; i < truths.length; i++) truths[i] = high[i] < least ? yes : low[i] >= most ? no : UNKNOWN;
  },
  ">": ({low, high}, {low: least, high: most}, yes, no, truths) => {
    for (let i = 0; i < truths.length; i++) truths[i] = most < low[i] ? yes : least >= high[i] ? no : UNKNOWN;
  },
  "==": ({low, high}, {low: least, high: most}, yes, no, truths) => {
    const isExact = least === most;
    for (let i = 0; i < truths.length; i++)
      truths[i] = high[i] < least || most < low[i] ? no : isExact && low[i] === high[i] ? yes : UNKNOWN;
  },
};
const OPPOSITES = {">=": "<", "<=": ">", "!=": "=="};

// A comparison of a column with a number; null: it is another comparison.
function comparedColumn(node, run) {
  const isComparison = COMPARISONS.includes(node.kind), sign = isComparison ? node.kind : "!=";
  const column = columnOf(isComparison ? node.left : node, run);
  const fixed = column ? fixedValue(isComparison ? node.right : ZERO, run.layout, column.enumeration) : null;
  if (!fixed || fixed.kind !== "range" || typeof fixed.low !== "number" || typeof fixed.high !== "number") return null;
  const opposite = OPPOSITES[sign], truths = new Uint8Array(run.count);
  LOOPS[opposite || sign](column, fixed, opposite ? FALSE : TRUE, opposite ? TRUE : FALSE, truths);
  for (let i = 0; column.hasOthers && i < truths.length; i++)
    if (Number.isNaN(column.low[i])) truths[i] = codeOf(evaluate(node, run.signatures[run.first + i]));
  return truths;
}

// What a condition is, of each signature of a run whose values were read: FALSE, TRUE or UNKNOWN.
export function truthsOf(node, run) {
  const {layout, count, first, signatures} = run;
  if (!layout) return new Uint8Array(count).fill(UNKNOWN);
  if (isFixed(node, layout)) return new Uint8Array(count).fill(codeOf(evaluate(node, {layout, values: []})));
  if (node.kind === "!") {
    const truths = truthsOf(node.left, run);
    for (let i = 0; i < count; i++) truths[i] = NEGATED[truths[i]];
    return truths;
  }
  if (JOINED[node.kind]) {
    const truths = truthsOf(node.left, run), right = truthsOf(node.right, run), joined = JOINED[node.kind];
    for (let i = 0; i < count; i++) truths[i] = joined[3 * truths[i] + right[i]];
    return truths;
  }
  return comparedColumn(node, run) || Uint8Array.from({length: count}, (_, i) => codeOf(evaluate(node, signatures[first + i])));
}
