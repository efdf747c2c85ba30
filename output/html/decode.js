// Reads the data of a page: docs/page-format.md describes it byte by byte.

const MAGIC = "callsig1";
const GROUPS = ["stage", "thread", "module", "process", "rank", "site"];
export const BY = {function: 1, signature: 2, stage: 4, thread: 8, module: 16, process: 32, rank: 64, site: 128};

// Numbers one after the other.
export class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }

  // Seven bits a byte. Up to 2^53 it is exact, beyond the nearest that there is.
  number() {
    const bytes = this.bytes;
    let byte = bytes[this.at++];
    if (byte < 128) return byte;
    let low = byte & 127, high = 0, shift = 7;
    do {
      byte = bytes[this.at++];
      if (byte === undefined) throw new RangeError("the data of this page end too early");
      if (shift < 28) low += (byte & 127) * 2 ** shift;
      else high += (byte & 127) * 2 ** (shift - 28);
      shift += 7;
    } while (byte >= 128);
    return high * 2 ** 28 + low;
  }

  // The same, exactly: a BigInt where a number would not be.
  exact(isSigned) {
    const start = this.at, close = isSigned ? this.signed() : this.number();
    if (Math.abs(close) < 2 ** 52) return close;
    this.at = start;
    let value = 0n, shift = 0n, byte;
    do {
      byte = this.bytes[this.at++];
      if (byte === undefined) throw new RangeError("the data of this page end too early");
      value |= BigInt(byte & 127) << shift;
      shift += 7n;
    } while (byte >= 128);
    if (isSigned) value = value & 1n ? -(value >> 1n) - 1n : value >> 1n;
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }

  signed() {
    const value = this.number();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }

  double() {
    this.at += 8;
    return this.view.getFloat64(this.at - 8, true);
  }

  single() {
    this.at += 4;
    return this.view.getFloat32(this.at - 4, true);
  }
}

// Bytes of what stands in the page: base64 of gzip.
export async function unpack(letters) {
  const text = atob(letters), packed = new Uint8Array(text.length);
  for (let i = 0; i < packed.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function splitSections(bytes) {
  const decoder = new TextDecoder(), sections = [];
  if (decoder.decode(bytes.subarray(0, 8)) !== MAGIC) throw new RangeError("the data of this page are none of callsig's");
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  for (let at = 8; at < bytes.length;) {
    const name = decoder.decode(bytes.subarray(at, at + 4)), size = view.getUint32(at + 4, true);
    if (at + 8 + size > bytes.length) throw new RangeError("the data of this page end too early");
    sections.push({name, bytes: bytes.subarray(at + 8, at + 8 + size)});
    at += 8 + size;
  }
  return sections;
}

function numbers(reader, count) {
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) values[i] = reader.number();
  return values;
}

function differences(reader, count) {
  const values = new Int32Array(count);
  for (let i = 0, last = 0; i < count; i++) values[i] = (last += reader.signed()) - 1;
  return values;
}

function column(count, read) {
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) values[i] = read(i);
  return values;
}

function readFunctions(reader, texts) {
  return Array.from({length: reader.number()}, (_, number) => ({
    number, file: texts[reader.number()], line: reader.number(), name: texts[reader.number()],
    isAction: reader.number() === 1, stage: texts[reader.number()],
  }));
}

function readLayouts(reader, texts) {
  const layouts = [], enumerations = [null];
  while (reader.at < reader.bytes.length) {
    const isEnumeration = reader.number() === 1, count = reader.number();
    if (isEnumeration)
      enumerations.push(new Map(Array.from({length: count}, () => [texts[reader.number()], reader.exact(true)])));
    else
      layouts.push(Array.from({length: count}, () => ({
        name: texts[reader.number()], isGroup: reader.number() === 1, children: reader.number(), join: reader.number() - 1,
        enumeration: enumerations[reader.number()],
      })));
  }
  return layouts;
}

function readSignatures(reader, texts, layouts) {
  return Array.from({length: reader.number()}, (_, number) => ({
    number, function: reader.number(), text: texts[reader.number()], layout: layouts[reader.number() - 1] || null, values: null,
  }));
}

const UNKNOWN = {kind: "unknown"};

// Values never change, so that one object serves for all arguments with the same small number.
const SMALL = Array.from({length: 1024}, (_, value) => ({kind: "range", low: value, high: value}));

function readInteger(reader) {
  return reader.exact(reader.number() === 1);
}

function readValue(reader, texts) {
  const tag = reader.number();
  switch (tag) {
  case 1:
  case 2: {
    const value = reader.exact(tag === 1);
    return SMALL[value] || {kind: "range", low: value, high: value};
  }
  case 3: return {kind: "range", low: readInteger(reader), high: readInteger(reader)};
  case 4: return {kind: "range", low: readInteger(reader), high: Infinity};
  case 5: return {kind: "range", low: -Infinity, high: readInteger(reader)};
  case 6: return {kind: "float", number: reader.double()};
  case 7:
  case 8: return {kind: "string", text: texts[reader.number()], isCut: tag === 8};
  case 9: return {kind: "null"};
  case 10: return {kind: "not null"};
  case 11: return {kind: "function", text: texts[reader.number()]};
  case 12: {
    const size = reader.number();
    return {kind: "list", isCut: size % 2 === 1, list: Array.from({length: Math.floor(size / 2)}, () => readInteger(reader))};
  }
  default: return UNKNOWN;
  }
}

// What the arguments were, of all signatures: when it is first asked for. Returns whether all are read: with a limit, a moment by
// performance.now(), the next call goes on.
export function readValues(page, limit = Infinity) {
  if (page.valueBytes === null) return true;
  const reading = page.readingValues ??= {reader: new Reader(page.valueBytes), next: 0}, {reader} = reading;
  while (reading.next < page.signatures.length) {
    const signature = page.signatures[reading.next++];
    if (signature.layout) signature.values = signature.layout.map(() => readValue(reader, page.texts));
    if (reading.next % 256 === 0 && performance.now() >= limit) return false;
  }
  page.valueBytes = page.readingValues = null;
  return true;
}

function readIdentities(reader, grouping, texts) {
  const {count, by} = grouping;
  grouping.function = differences(reader, count);
  grouping.signature = by & BY.signature ? differences(reader, count) : new Int32Array(count).fill(-1);
  grouping.groups = {};
  for (const name of GROUPS)
    if (by & BY[name])
      grouping.groups[name] = Array.from({length: count}, () => texts[reader.number() - 1] ?? null);
}

function readTimes(reader, count, tick) {
  return column(count, () => {
    const code = reader.number();
    if (code === 0) return NaN;
    return (code === 1 ? reader.double() : (code - 2) / 2) * tick;
  });
}

function readCounts(reader, grouping) {
  const {listed, tick} = grouping;
  grouping.ncalls = numbers(reader, listed);
  grouping.pcalls = numbers(reader, listed).map((nested, row) => grouping.ncalls[row] - nested);
  for (const name of ["tottime", "cumtime", "min", "max"]) grouping[name] = numbers(reader, listed).map((ticks) => ticks * tick);
  const hasPercentiles = reader.number() === 1;
  for (const name of ["p50", "p90", "p99"])
    grouping[name] = hasPercentiles ? readTimes(reader, listed, tick) : null;
  readErrors(reader, grouping);
  readWaits(reader, grouping);
  readAsked(reader, grouping);
}

function readErrors(reader, grouping) {
  const {listed, tick} = grouping;
  grouping.hasErrors = reader.number() === 1;
  if (!grouping.hasErrors) return;
  const untimed = numbers(reader, listed);
  grouping.isUncertain = Uint8Array.from(untimed, (code) => code % 2);
  grouping.timed = column(listed, (row) => grouping.ncalls[row] - Math.floor(untimed[row] / 2));
  grouping.tottimeError = column(listed, () => reader.single() * tick);
  grouping.cumtimeError = column(listed, () => reader.single() * tick);
}

// What threads waited of their times. The rest, of which singles may leave a little less than nothing, they computed.
function readWaits(reader, grouping) {
  const {listed, tick} = grouping;
  grouping.hasWaits = reader.number() === 1;
  if (!grouping.hasWaits) return;
  for (const name of ["wait", "waitError", "cumwait", "cumwaitError"]) grouping[name] = column(listed, () => reader.single() * tick);
  grouping.cpu = grouping.wait.map((wait, row) => Math.max(0, grouping.tottime[row] - wait));
  grouping.cumcpu = grouping.cumwait.map((wait, row) => Math.max(0, grouping.cumtime[row] - wait));
}

// What was asked the allocator for.
function readAsked(reader, grouping) {
  grouping.hasAsked = reader.number() === 1;
  if (!grouping.hasAsked) return;
  for (const name of ["allocs", "allocbytes", "unfreed"])
    grouping[name] = numbers(reader, grouping.listed).map((amount) => amount > 0 ? amount - 1 : NaN);
}

function readFolded(reader, tick) {
  return Array.from({length: reader.number()}, () => ({
    function: reader.number(), rows: reader.number(), ncalls: reader.number(), pcalls: reader.number(), tottime: reader.number() * tick,
    min: reader.number() * tick, max: reader.number() * tick,
  }));
}

// Of folded rows nobody knows these.
const UNFOLDED = ["cumtime", "p50", "p90", "p99", "tottimeError", "cumtimeError", "timed", "cpu", "wait", "waitError", "cumcpu", "cumwait",
  "cumwaitError", "allocs", "allocbytes", "unfreed"];

// Folded rows stand behind the others.
function appendFolded(grouping, folded) {
  const {listed} = grouping, all = listed + folded.length;
  const longer = (values, get) => {
    const longest = new values.constructor(all);
    longest.set(values.subarray(0, listed));
    folded.forEach((one, i) => { longest[listed + i] = get(one); });
    return longest;
  };
  grouping.folded = new Map(folded.map((one, i) => [listed + i, one.rows]));
  if (folded.length === 0) return;
  grouping.function = longer(grouping.function, (one) => one.function);
  grouping.signature = longer(grouping.signature, () => -1);
  for (const name of ["ncalls", "pcalls", "tottime", "min", "max"]) grouping[name] = longer(grouping[name], (one) => one[name]);
  for (const name of UNFOLDED)
    if (grouping[name]) grouping[name] = longer(grouping[name], () => NaN);
  if (grouping.isUncertain) grouping.isUncertain = longer(grouping.isUncertain, () => 1);
  grouping.listed = all;
}

// Pairs by their callees. A caller that is not listed has a number below 0: its function and signature are in `outside`.
function readPairs(reader, grouping, listed, outside) {
  const count = reader.number(), {tick} = grouping;
  const numberOf = (number) => number < listed ? number : number < listed + outside ? listed - 1 - number : number - outside;
  const pairs = {count, callee: new Int32Array(count), caller: new Int32Array(count)};
  for (const name of ["ncalls", "pcalls", "tottime", "cumtime"]) pairs[name] = new Float64Array(count);
  for (let i = 0, last = 0; i < count; i++) {
    pairs.callee[i] = numberOf(last += reader.number());
    pairs.caller[i] = numberOf(reader.number());
    pairs.ncalls[i] = reader.number();
    pairs.pcalls[i] = pairs.ncalls[i] - reader.number();
    pairs.tottime[i] = reader.number() * tick;
    pairs.cumtime[i] = reader.number() * tick;
  }
  return pairs;
}

function readRows(reader, texts) {
  const grouping = {by: reader.number(), tick: reader.double(), listed: reader.number()};
  const {listed} = grouping, outside = reader.number();
  grouping.count = listed + outside;
  readIdentities(reader, grouping, texts);
  readCounts(reader, grouping);
  const folded = readFolded(reader, grouping.tick);
  grouping.outside = Array.from({length: outside}, (_, i) => ({
    function: grouping.function[listed + i], signature: grouping.signature[listed + i],
    groups: Object.fromEntries(Object.entries(grouping.groups).map(([name, values]) => [name, values[listed + i]])),
  }));
  grouping.pairs = readPairs(reader, grouping, listed, outside);
  grouping.function = grouping.function.subarray(0, listed);
  grouping.signature = grouping.signature.subarray(0, listed);
  appendFolded(grouping, folded);
  return grouping;
}

function readTree(reader, texts) {
  const isBySignature = reader.number() === 1, tick = reader.double();
  const frames = Array.from({length: reader.number()}, () => ({
    text: texts[reader.number()], function: reader.number() - 1, signature: reader.number() - 1, module: texts[reader.number() - 1] ?? null,
  }));
  // The root, then every other node, of which each takes four bytes at least.
  const most = 1 + Math.ceil((reader.bytes.length - reader.at) / 4), leftOut = new Map();
  const depth = new Uint32Array(most), frame = new Int32Array(most), calls = new Float64Array(most), own = new Float64Array(most);
  let count = 1;
  frame[0] = -1;
  for (let at; (at = reader.number()) > 0; count++) {
    depth[count] = at;
    frame[count] = reader.number() - 1;
    calls[count] = reader.number();
    own[count] = reader.number() * tick;
    if (frame[count] < 0) leftOut.set(count, reader.number());
  }
  if (reader.number() !== count - 1) throw new RangeError("the tree of this page is not whole");
  return {isBySignature, frames, leftOut, depth: depth.slice(0, count), frame: frame.slice(0, count), calls: calls.slice(0, count),
    own: own.slice(0, count)};
}

const KINDS = ["call", "task", "wait", "event", "range"];

function readTimeline(reader, texts) {
  const rows = Array.from({length: reader.number()}, () => ({name: texts[reader.number()], process: texts[reader.number()]}));
  const count = reader.number(), leftOut = reader.number();
  let start = 0;
  const spans = Array.from({length: count}, (_, number) => {
    const row = reader.number() - 1;
    start += reader.signed();
    const end = start + reader.number(), kind = KINDS[reader.number()], flags = reader.number();
    return {number, row, start: start * 1e-9, end: end * 1e-9, kind, isOpen: (flags & 1) !== 0, hasFailed: (flags & 2) !== 0, text: texts[reader.number()],
      function: reader.number() - 1, stage: texts[reader.number() - 1] ?? null};
  });
  return {rows, leftOut, spans};
}

const VERDICTS = ["same", "slower", "faster", "changed", "new", "gone", "unjudged"];

// The rows of a comparison, as a grouping of rows with other columns.
function readChanges(reader, texts) {
  const by = reader.number(), listed = reader.number();
  const grouping = {by, listed, count: listed, outside: [], folded: new Map(), function: new Int32Array(listed), signature: new Int32Array(listed),
    groups: {}, verdict: [], pairs: null, hasErrors: false};
  const groups = ["stage", "module", "site"];
  for (const name of groups) if (by & BY[name]) grouping.groups[name] = [];
  for (let i = 0; i < listed; i++) {
    grouping.function[i] = reader.number() - 1;
    grouping.signature[i] = reader.number() - 1;
    for (const name of groups) {
      const text = texts[reader.number() - 1] ?? null;
      if (grouping.groups[name]) grouping.groups[name].push(text);
    }
  }
  const names = ["oldCalls", "oldTottime", "oldCumtime", "newCalls", "newTottime", "newCumtime", "change", "low", "high", "p", "adjusted"];
  for (const name of names) grouping[name] = new Float64Array(listed);
  for (let i = 0; i < listed; i++) {
    grouping.verdict.push(VERDICTS[reader.number()]);
    for (const name of names) grouping[name][i] = reader.double();
  }
  grouping.changeSize = grouping.change.map(Math.abs);
  return grouping;
}

function readSides(reader, texts) {
  return Array.from({length: reader.number()}, () => ({isNew: reader.number() === 1, path: texts[reader.number()], program: texts[reader.number()]}));
}

// Everything that the bytes hold.
export function decodePage(bytes) {
  const sections = splitSections(bytes), decoder = new TextDecoder();
  const one = (name) => sections.find((section) => section.name === name)?.bytes;
  const texts = decoder.decode(one("text")).split("\0");
  const readerOf = (name) => new Reader(one(name)), layouts = readLayouts(readerOf("args"), texts);
  const all = (name, read) => sections.filter((section) => section.name === name).map((section) => read(new Reader(section.bytes), texts));
  const json = (name) => one(name) ? JSON.parse(decoder.decode(one(name))) : null;
  return {
    texts,
    about: json("page"),
    head: json("head"),
    diff: json("diff"),
    sides: all("side", readSides)[0] ?? [],
    functions: readFunctions(readerOf("func"), texts),
    layouts,
    signatures: readSignatures(readerOf("sign"), texts, layouts),
    valueBytes: one("vals"),
    groupings: [...all("rows", readRows), ...all("chng", readChanges)],
    trees: all("tree", readTree),
    laws: json("laws"),
    timeline: all("time", readTimeline)[0] ?? null,
  };
}
