// What a page knows: groupings of rows, functions, signatures, and how they are called.
import {BY, readValues} from "./decode.js";
import {runsOf} from "./signature_runs.js";

const WORDS_OF_BY = Object.entries(BY);

// "signature,stage", as --by has it, of the bits.
export function namesOfBy(by) {
  return WORDS_OF_BY.filter(([name, bit]) => by & bit && !(name === "function" && by & BY.signature)).map(([name]) => name).join(",");
}

export function bitsOfBy(names) {
  const by = names.split(",").reduce((bits, name) => bits | (BY[name] || 0), 0);
  return by & BY.signature ? by | BY.function : by;
}

export class Profile {
  constructor(page) {
    this.page = page;
    this.head = page.head;
    this.about = page.about;
    this.functions = page.functions;
    this.signatures = page.signatures;
    this.groupings = new Map(page.groupings.map((grouping) => [grouping.by, grouping]));
    this.places = this.functions.map((one) => one.isAction ? one.name : one.file + ":" + one.line + "(" + one.name + ")");
  }

  // The grouping of this name; the one that was asked for when the page was made if there is none of it.
  grouping(names) {
    return this.groupings.get(bitsOfBy(names)) || this.groupings.get(this.about.by) || this.page.groupings[0];
  }

  // From now on signatures have what their arguments were.
  readValues() {
    readValues(this.page);
  }

  // The same, as runs of signatures.
  runs() {
    this.readValues();
    return this.knownRuns ??= runsOf(this.signatures);
  }

  // What the first condition on arguments needs, until a moment by performance.now(); whether that is all.
  prepare(limit) {
    if (!readValues(this.page, limit)) return false;
    for (const run of this.runs()) {
      run.layout?.forEach((_, argument) => run.column(argument));
      if (performance.now() >= limit) return false;
    }
    return true;
  }

  functionOf(grouping, row) {
    const number = row < 0 ? grouping.outside[-1 - row].function : grouping.function[row];
    return number < 0 ? null : this.functions[number];
  }

  signatureOf(grouping, row) {
    const number = row < 0 ? grouping.outside[-1 - row].signature : grouping.signature[row];
    return number < 0 ? null : this.signatures[number];
  }

  groupsOf(grouping, row) {
    return Object.keys(grouping.groups).map((name) =>
      [name, (row < 0 ? grouping.outside[-1 - row].groups[name] : grouping.groups[name][row]) ?? "-"]);
  }

  // "dot(n=16)", "main", "decode[4]": what a row is called beside where it stands.
  nameOf(grouping, row) {
    const one = this.functionOf(grouping, row), signature = this.signatureOf(grouping, row);
    const folded = grouping.folded.get(row);
    if (folded) return one.name + "(… " + folded + " other signatures)";
    if (one) return signature ? signature.text : one.name;
    return this.groupsOf(grouping, row).map(([, text]) => text).join(" ");
  }

  // "file:line" of code, "" of what is none.
  placeOf(grouping, row) {
    const one = this.functionOf(grouping, row);
    return one && !one.isAction ? one.file + ":" + one.line : "";
  }

  // What a row is told by in an address: it is the same in every grouping that has such a row.
  keyOf(grouping, row) {
    const one = this.functionOf(grouping, row), signature = this.signatureOf(grouping, row);
    return one ? one.number + (signature ? "." + signature.number : "") : "";
  }

  // The same with the row's number, where others of the grouping have the same function and signature: "@" and the number.
  rowKeyOf(grouping, row) {
    const key = this.keyOf(grouping, row);
    return key && row >= 0 && Object.keys(grouping.groups).length > 0 ? key + "@" + row : key;
  }

  // {function, signature, row} of such a key, or null; a row of -1 where it has none.
  identityOf(key) {
    const found = /^(\d+)(?:\.(\d+))?(?:@(\d+))?$/.exec(key);
    const one = found ? this.functions[Number(found[1])] : null;
    return one ? {function: one, signature: found[2] === undefined ? null : this.signatures[Number(found[2])] || null,
      row: found[3] === undefined ? -1 : Number(found[3])} : null;
  }

  // The share of the whole time.
  share(seconds) {
    return this.head.total_time > 0 ? seconds / this.head.total_time : 0;
  }
}
