// Conditions on the arguments of a call: 'n >= 4096 && mode == FAST', as docs/expressions.md has them. Three-valued: what was not
// recorded makes a comparison neither true nor false.
import {ConditionError, splitCondition} from "./expression_words.js";

const UNKNOWN_VALUE = {kind: "unknown"};
const NULL_VALUE = {kind: "null"};
export const COMPARISONS = ["==", "!=", "<", "<=", ">", ">="];
const WORDS = {NULL: {kind: "null"}, nullptr: {kind: "null"}, true: {kind: "integer", value: 1}, false: {kind: "integer", value: 0}};

class Parser {
  constructor(text) {
    this.words = splitCondition(text);
    this.at = 0;
    this.depth = 0;
  }

  get word() {
    return this.words[this.at];
  }

  take(...kinds) {
    return kinds.includes(this.word.kind) ? this.words[this.at++] : null;
  }

  fail(message) {
    throw new ConditionError(this.word.column, message);
  }

  chain(kind, operand) {
    let left = operand();
    while (this.take(kind)) left = {kind, left, right: operand()};
    return left;
  }

  condition() {
    return this.chain("||", () => this.chain("&&", () => this.negation()));
  }

  negation() {
    let negated = false, isNegation = false;
    while (this.take("!")) {
      negated = !negated;
      isNegation = true;
    }
    const inner = this.comparison();
    if (!isNegation) return inner;
    return negated ? {kind: "!", left: inner} : {kind: "!", left: {kind: "!", left: inner}};
  }

  comparison() {
    const left = this.bits(), sign = this.take(...COMPARISONS);
    if (!sign) return left;
    const right = this.bits();
    if (COMPARISONS.includes(this.word.kind)) this.fail("comparisons do not chain: join two with &&");
    return this.join(sign, left, right);
  }

  bits() {
    let left = this.operand();
    for (let sign; (sign = this.take("&", "|"));) left = this.join(sign, left, this.operand());
    return left;
  }

  // Both sides of it must be values.
  join(sign, left, right) {
    if ([left, right].some(({kind}) => ["||", "&&", "!", ...COMPARISONS].includes(kind)))
      throw new ConditionError(sign.column, "a comparison is no value that this could be applied to");
    return {kind: sign.kind, left, right};
  }

  operand() {
    const open = this.take("(");
    if (open) {
      if (++this.depth > 100) this.fail("parentheses nest more than 100 deep");
      const inner = this.condition();
      this.depth--;
      if (!this.take(")")) this.fail("expected ')' for the '(' of column " + open.column);
      return inner;
    }
    const word = this.take("integer", "float", "string", "path");
    if (!word) this.fail(this.word.kind === "end" ? "expected a name or a value, not the end" : "expected a name or a value");
    return word.kind === "path" && Object.hasOwn(WORDS, word.path) ? WORDS[word.path] : word;
  }
}

// The tree of a condition; a ConditionError when it is none.
export function parseCondition(text) {
  const parser = new Parser(text);
  const tree = parser.condition();
  if (parser.word.kind !== "end") parser.fail("expected && or || or the end here");
  return tree;
}

// All paths of a condition.
export function pathsOf(node) {
  if (node.kind === "path") return [node];
  return [node.left, node.right].filter(Boolean).flatMap(pathsOf);
}

// How much of the path an argument's name takes; 0: it does not begin it.
function matched(name, path) {
  const plain = name.replace(/->/g, ".");
  return plain.length > 0 && path.startsWith(plain) && (path.length === plain.length || path[plain.length] === ".") ? plain.length : 0;
}

// Where a path leads among the arguments [from, to) of a layout: {argument, isLength}, or null.
export function bindPath(layout, path, from = 0, to = layout.length) {
  let longest = 0, found = -1;
  for (let i = from; i < to; i += 1 + layout[i].children) {
    const length = matched(layout[i].name, path);
    if (length > longest) {
      longest = length;
      found = i;
    }
  }
  if (longest === 0) return null;
  if (longest === path.length) return {argument: found, isLength: false};
  const rest = path.slice(longest + 1), {isGroup, children} = layout[found];
  const inner = isGroup ? bindPath(layout, rest, found + 1, Math.min(found + 1 + children, to)) : null;
  return inner || (rest === "len" ? {argument: found, isLength: true} : null);
}

function range(low, high = low) {
  return {kind: "range", low, high};
}

function lengthOf(signature, argument) {
  const value = signature.values[argument], {join} = signature.layout[argument];
  if (value.kind === "string") return range(byteLength(value.text), value.isCut ? Infinity : byteLength(value.text));
  if (value.kind === "list") return range(value.list.length, value.isCut ? Infinity : value.list.length);
  return join >= 0 ? signature.values[join] : UNKNOWN_VALUE;
}

// Bytes of a text before what does not print was escaped.
export function byteLength(text) {
  return new TextEncoder().encode(text.replace(/\\x[0-9a-f]{2}/g, "?")).length;
}

// Where the path of a node leads in a layout: looked for once, since signatures of several functions come in turn.
export function boundIn(node, layout) {
  node.bounds ??= new Map();
  let bound = node.bounds.get(layout);
  if (bound === undefined) {
    bound = bindPath(layout, node.path);
    node.bounds.set(layout, bound);
  }
  return bound;
}

function pathValue(node, signature) {
  const bound = signature.layout ? boundIn(node, signature.layout) : null;
  if (!bound) return {kind: "name", text: node.path};
  const {enumeration} = signature.layout[bound.argument], value = signature.values[bound.argument];
  if (node.index >= 0)
    return value.kind === "list" && node.index < value.list.length ? {...range(value.list[node.index]), enumeration} : UNKNOWN_VALUE;
  if (bound.isLength) return lengthOf(signature, bound.argument);
  return value.kind === "range" && enumeration ? {...value, enumeration} : value;
}

function isExact(value) {
  return value.kind === "range" && value.low === value.high;
}

// Bits of numbers: by the language's own operators where these are exact.
function bitsOf(kind, left, right) {
  const isSmall = left >= 0 && right >= 0 && left < 2 ** 31 && right < 2 ** 31;
  const [a, b] = isSmall ? [Number(left), Number(right)] : [BigInt(left), BigInt(right)], bits = kind === "&" ? a & b : a | b;
  return {low: bits, high: bits};
}

function bitsValue(node, signature, enumeration) {
  let left = valueOf(node.left, signature, enumeration);
  const right = valueOf(node.right, signature, left.enumeration || enumeration);
  if (left.kind === "name" && right.enumeration) left = valueOf(node.left, signature, right.enumeration);
  if (!isExact(left) || !isExact(right)) return left.kind === "name" && right.kind === "name" ? left : UNKNOWN_VALUE;
  return {kind: "range", ...bitsOf(node.kind, left.low, right.low), enumeration: left.enumeration || right.enumeration};
}

// `enumeration`: in which a name on its own is looked up.
export function valueOf(node, signature, enumeration) {
  switch (node.kind) {
  case "integer": return node.range ??= range(node.value);
  case "float": return {kind: "float", number: node.number};
  case "string": return {kind: "string", text: node.text, isCut: false};
  case "null": return NULL_VALUE;
  case "&":
  case "|": return bitsValue(node, signature, enumeration);
  case "path": {
    const value = pathValue(node, signature);
    if (value.kind !== "name" || !enumeration) return value;
    return enumeration.has(value.text) ? {...range(enumeration.get(value.text)), enumeration} : UNKNOWN_VALUE;
  }
  default: return UNKNOWN_VALUE;
  }
}

// true, false, or null: unknown.
export function negate(truth) {
  return truth === null ? null : !truth;
}

function less(left, right) {
  if (left.high < right.low) return true;
  return left.low >= right.high ? false : null;
}

function equalRanges(left, right) {
  if (left.high < right.low || right.high < left.low) return false;
  return left.low == left.high && right.low == right.high ? true : null; // eslint-disable-line eqeqeq
}

// A string that was cut off is known up to there.
function equalStrings(left, right) {
  const common = Math.min(left.text.length, right.text.length);
  if (left.text.slice(0, common) !== right.text.slice(0, common)) return false;
  if ((left.isCut && right.text.length >= left.text.length) || (right.isCut && left.text.length >= right.text.length)) return null;
  return left.text.length === right.text.length;
}

// An enumerator is no pointer, whatever its value is.
function isNullLike(value) {
  return value.kind === "null" || (value.kind === "range" && !value.enumeration && value.low == 0 && value.high == 0); // eslint-disable-line eqeqeq
}

function isPointer(value) {
  return ["null", "not null", "function", "string"].includes(value.kind);
}

function equal(left, right) {
  const kinds = [left.kind, right.kind];
  if (kinds.every((kind) => kind === "range")) return equalRanges(left, right);
  if (kinds.every((kind) => kind === "string")) return equalStrings(left, right);
  if (kinds.every((kind) => kind === "name" || kind === "function") && kinds.includes("function")) return left.text === right.text;
  if ((isNullLike(left) && isPointer(right)) || (isPointer(left) && isNullLike(right))) return isNullLike(left) && isNullLike(right);
  if (kinds.includes("null") && kinds.includes("name")) return false;
  return null;
}

function asNumber(value) {
  if (value.kind === "float") return value.number;
  return isExact(value) ? Number(value.low) : null;
}

function compareNumbers(sign, left, right) {
  switch (sign) {
  case "==": return left === right;
  case "!=": return left !== right;
  case "<": return left < right;
  case "<=": return left <= right;
  case ">": return left > right;
  default: return left >= right;
  }
}

function compare(sign, left, right) {
  if (left.kind === "float" || right.kind === "float") {
    const numbers = [asNumber(left), asNumber(right)];
    if (!numbers.includes(null)) return compareNumbers(sign, ...numbers);
  }
  if (sign === "==") return equal(left, right);
  if (sign === "!=") return negate(equal(left, right));
  if (left.kind !== "range" || right.kind !== "range") return null;
  switch (sign) {
  case "<": return less(left, right);
  case ">": return less(right, left);
  case "<=": return negate(less(right, left));
  default: return negate(less(left, right));
  }
}

// A value on its own is true when it is neither 0 nor NULL.
function isSet(value) {
  switch (value.kind) {
  case "range": return negate(equalRanges(value, range(0)));
  case "float": return value.number !== 0;
  case "null": return false;
  case "string":
  case "not null":
  case "function": return true;
  default: return null;
  }
}

export function either(left, right) {
  if (left === true || right === true) return true;
  return left === false ? right : left;
}

export function both(left, right) {
  if (left === false || right === false) return false;
  return left === true ? right : left;
}

// Is the condition true of a signature whose values were read? true, false, or null: it is not known.
export function evaluate(node, signature) {
  switch (node.kind) {
  case "||": return either(evaluate(node.left, signature), evaluate(node.right, signature));
  case "&&": return both(evaluate(node.left, signature), evaluate(node.right, signature));
  case "!": return negate(evaluate(node.left, signature));
  default:
  }
  if (!COMPARISONS.includes(node.kind)) return isSet(valueOf(node, signature, null));
  let left = valueOf(node.left, signature, null);
  const right = valueOf(node.right, signature, left.enumeration);
  if (right.enumeration && !left.enumeration) left = valueOf(node.left, signature, right.enumeration);
  return compare(node.kind, left, right);
}

// Has the call what the path leads to? An enumerator or a function has a name everywhere, and a short list not every element.
function isThere(path, {layout, values}) {
  const bound = boundIn(path, layout), value = bound ? values[bound.argument] : null;
  return value ? path.index < 0 || value.kind !== "list" || value.isCut || path.index < value.list.length : path.isConstant;
}

// Is a condition that is unknown of a signature so because its function has no such argument? Then nothing was left out that was asked for.
export function isAbsent(node, signature) {
  if (!signature.layout) return false;
  const isSo = (side) => isAbsent(side, signature), unknown = [node.left, node.right].filter((side) => side && evaluate(side, signature) === null);
  switch (node.kind) {
  case "!": return isSo(node.left);
  case "&&": return unknown.some(isSo);
  case "||": return unknown.every(isSo);
  default: return !pathsOf(node).every((path) => isThere(path, signature));
  }
}
