// Splits a condition on arguments into words: the language is that of `callsig report --signature` (docs/expressions.md).

// A mistake in a condition, at a column counted from 1.
export class ConditionError extends Error {
  constructor(column, message) {
    super("column " + column + ": " + message);
    this.column = column;
  }
}

const OPERATORS = ["==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "&", "|", "(", ")"];
const NAME = /(?:~?[A-Za-z_$\u0080-\uffff][\w$~\u0080-\uffff]*)(?:(?:\.|->|::)~?[A-Za-z_$\u0080-\uffff][\w$~\u0080-\uffff]*)*/y;
const FLOAT = /-?(?:\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)/y;
const INTEGER = /(-?)(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)([KMGT]|[uUlL]*)/y;
const ESCAPES = {a: "\x07", b: "\b", t: "\t", n: "\n", v: "\v", f: "\f", r: "\r", 0: "\0", "\\": "\\", "'": "'", "\"": "\""};
const SIZES = {K: 10n, M: 20n, G: 30n, T: 40n};
const MOST_ELEMENTS = 16;

function match(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

// An exact integer as the smallest kind of number that has it.
function plain(value) {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

// As the page has texts: what does not print is \xNN.
function escaped(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (letter) => "\\x" + letter.charCodeAt(0).toString(16).padStart(2, "0"));
}

function readQuoted(text, at) {
  const quote = text[at];
  let value = "", i = at + 1;
  for (; i < text.length && text[i] !== quote; i++) {
    if (text[i] !== "\\") {
      value += text[i];
      continue;
    }
    const hex = /\\x([0-9a-fA-F]{1,2})/y, found = match(hex, text, i), letter = ESCAPES[text[i + 1]];
    if (!found && letter === undefined) throw new ConditionError(i + 1, "unknown escape '" + text.slice(i, i + 2) + "'");
    value += found ? String.fromCharCode(parseInt(found[1], 16)) : letter;
    i += found ? found[0].length - 1 : 1;
  }
  if (i >= text.length) throw new ConditionError(at + 1, "the literal has no closing " + quote);
  if (quote === "'" && value.length !== 1)
    throw new ConditionError(at + 1, "a character is one byte; text is written in double quotes");
  return {value, size: i + 1 - at};
}

function readIndex(text, at, column) {
  const found = match(/\[(\d+)\]/y, text, at);
  if (!found) throw new ConditionError(column, "expected a number and ']' after '['");
  if (Number(found[1]) >= MOST_ELEMENTS)
    throw new ConditionError(column, "at most " + MOST_ELEMENTS + " elements are recorded, the last is [" + (MOST_ELEMENTS - 1) + "]");
  return {index: Number(found[1]), size: found[0].length};
}

function readNumber(text, at) {
  const float = match(FLOAT, text, at);
  if (float) return {kind: "float", number: Number(float[0]), size: float[0].length};
  const found = match(INTEGER, text, at);
  if (!found || /0[xXbB]/.test(text.slice(at, at + 2)) && found[2] === "0")
    throw new ConditionError(at + 1, "expected digits after '" + text.slice(at, at + 2) + "'");
  const end = at + found[0].length;
  let value = BigInt(found[2]);
  if (value >= 1n << 64n) throw new ConditionError(at + 1, "the number does not fit 64 bits");
  if (/[\w$]/.test(text[end] || ""))
    throw new ConditionError(end + 1, "'" + text[end] + "' is no suffix of a number: K, M, G or T (powers of 1024)");
  value <<= SIZES[found[3]] || 0n;
  return {kind: "integer", value: plain(found[1] ? -value : value), size: found[0].length};
}

function readWord(text, at) {
  const letter = text[at];
  if (/\d/.test(letter) || letter === "-" && /\d/.test(text[at + 1] || "")) return readNumber(text, at);
  if (letter === "\"" || letter === "'") {
    const {value, size} = readQuoted(text, at);
    return letter === "'" ? {kind: "integer", value: value.charCodeAt(0) << 24 >> 24, size} : {kind: "string", text: escaped(value), size};
  }
  const name = match(NAME, text, at);
  if (name) {
    const index = text[at + name[0].length] === "[" ? readIndex(text, at + name[0].length, at + name[0].length + 1) : null;
    return {kind: "path", path: name[0].replace(/->/g, "."), index: index ? index.index : -1, size: name[0].length + (index ? index.size : 0)};
  }
  const operator = OPERATORS.find((one) => text.startsWith(one, at));
  if (operator) return {kind: operator, size: operator.length};
  throw new ConditionError(at + 1, letter === "=" ? "'=' is written '=='" : "unexpected '" + letter + "'");
}

// All words of a condition, and one of kind "end" behind them.
export function splitCondition(text) {
  const words = [];
  for (let at = 0; ; at += words[words.length - 1].size) {
    while (/[ \t\n]/.test(text[at] || "")) at++;
    if (at >= text.length) {
      words.push({kind: "end", column: at + 1});
      return words;
    }
    words.push({...readWord(text, at), column: at + 1});
  }
}
