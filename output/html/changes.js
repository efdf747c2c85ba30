// What changed from one side to the other: columns of a table, and colours of trees where a change is told from noise.
import {element, named} from "./dom.js";
import {callsText, formatCount, formatSeconds, formatShare} from "./format.js";

const COLUMNS = [
  {key: "name", title: "function", width: 420, isName: true},
  {key: "verdict", title: "verdict", width: 84, isFixed: true},
  {key: "changeSize", title: "change", width: 100, help: "of what was compared, new less old; ordered by its size"},
  {key: "relative", title: "change %", width: 92, sort: "changeSize"},
  {key: "oldTottime", title: "old own", width: 96, isTime: true},
  {key: "newTottime", title: "new own", width: 96, isTime: true},
  {key: "oldCumtime", title: "old with", width: 96, isTime: true, help: "with callees"},
  {key: "newCumtime", title: "new with", width: 96, isTime: true, help: "with callees"},
  {key: "oldCalls", title: "old calls", width: 110},
  {key: "newCalls", title: "new calls", width: 110},
];
const JUDGED_COLUMNS = [
  {key: "interval", title: "interval of the change", width: 190, sort: "changeSize"},
  {key: "adjusted", title: "p, corrected", width: 110},
];

function signed(text, value) {
  return value > 0 ? "+" + text : text;
}

// The change of the metric as a part of what it was; null where it was nothing.
function relativeOf(grouping, row, metric) {
  const [tottime, cumtime, calls] = [grouping.oldTottime[row], grouping.oldCumtime[row], grouping.oldCalls[row]];
  const old = metric === "cumtime" ? cumtime : metric === "tottime" ? tottime : calls > 0 ? tottime / calls : 0;
  return old > 0 ? grouping.change[row] / old : null;
}

function changeText(profile, grouping, row, key) {
  const relative = relativeOf(grouping, row, profile.page.diff.metric);
  switch (key) {
  case "verdict": return grouping.verdict[row];
  case "changeSize": return signed(formatSeconds(grouping.change[row]), grouping.change[row]);
  case "relative": return relative === null ? "–" : signed(formatShare(relative), relative);
  case "oldCalls":
  case "newCalls": return callsText(grouping[key][row]);
  case "interval": return Number.isNaN(grouping.low[row]) ? "–" : formatSeconds(grouping.low[row]) + " to " + formatSeconds(grouping.high[row]);
  case "adjusted": return Number.isNaN(grouping.adjusted[row]) ? "–" : String(Number(grouping.adjusted[row].toPrecision(3)));
  default: return grouping[key][row] === 0 ? "0" : formatSeconds(grouping[key][row]);
  }
}

export function changesOf(profile) {
  const isJudged = profile.page.diff.test !== null;
  return {columnsOf: () => isJudged ? [...COLUMNS, ...JUDGED_COLUMNS] : COLUMNS, cellText: changeText, next: "icicle"};
}

// How a change looks: grey where it is not told from noise, else the stronger the larger a part of what it was it is.
export function colorOfChange(verdict, relative) {
  if (verdict === "new") return "hsl(38 85% 66%)";
  if (verdict === "gone") return "hsl(270 35% 74%)";
  if (verdict !== "slower" && verdict !== "faster") return "var(--same)";
  const strength = Math.min(Math.abs(relative ?? 1), 1);
  return verdict === "slower" ? "hsl(8 " + Math.round(45 + 45 * strength) + "% " + Math.round(80 - 18 * strength) + "%)"
    : "hsl(205 " + Math.round(40 + 40 * strength) + "% " + Math.round(80 - 18 * strength) + "%)";
}

const ONE_RECORDING = "One side has one recording, which does not tell what is noise: no change is judged, and trees are grey but for what is new or gone. " +
  "Two or more of either side are judged.";

// Why no change is judged.
export function notJudged({timed_differently: ways}) {
  return !ways ? ONE_RECORDING
    : "The recordings were timed differently (" + ways + "): no change is judged, and trees are grey but for what is new or gone. Record both sides with the same --clock and --times.";
}

const UNKNOWN = -1, SEVERAL = -2;

// Colours and words for nodes of a tree, by the keys of their rows.
export class ChangePaint {
  constructor(profile) {
    const [grouping] = profile.page.groupings;
    this.grouping = grouping;
    this.metric = profile.page.diff.metric;
    this.rows = new Map();
    for (let row = 0; row < grouping.listed; row++) {
      const key = profile.keyOf(grouping, row);
      this.rows.set(key, [...this.rows.get(key) ?? [], row]);
    }
  }

  // The row that tells of a node; SEVERAL where rows by stage, module or site were judged otherwise than each other. Of alike ones the first.
  rowOf(key) {
    const rows = this.rows.get(key) ?? [], {verdict} = this.grouping;
    if (rows.length === 0) return UNKNOWN;
    return rows.every((row) => verdict[row] === verdict[rows[0]]) ? rows[0] : SEVERAL;
  }

  color(key) {
    const row = this.rowOf(key);
    return row < 0 ? "var(--same)" : colorOfChange(this.grouping.verdict[row], relativeOf(this.grouping, row, this.metric));
  }

  words(key) {
    const row = this.rowOf(key);
    if (row === SEVERAL) return formatCount(this.rows.get(key).length) + " rows that did not change alike";
    if (row < 0) return null;
    if (this.rows.get(key).length > 1) return this.grouping.verdict[row] + " in each of " + formatCount(this.rows.get(key).length) + " rows";
    const relative = relativeOf(this.grouping, row, this.metric);
    return this.grouping.verdict[row] + (this.grouping.change[row] === 0 ? "" : " by " + signed(formatSeconds(this.grouping.change[row]), this.grouping.change[row]) +
      (relative === null ? "" : " (" + signed(formatShare(relative), relative) + ")"));
  }
}

// "28 ms before, 37 ms now: +9 ms (+29.6%), slower", of all rows.
export function totalText({total, test}) {
  const change = signed(formatSeconds(total.change), total.change);
  return formatSeconds(total.old.tottime) + " before, " + formatSeconds(total.new.tottime) + " now: " + change +
    (total.relative === null ? "" : " (" + signed(formatShare(total.relative), total.relative) + ")") + ", " +
    (test === null ? "not judged" : total.verdict === "same" ? "not told from noise" : total.verdict);
}

export class ChangesAbout {
  constructor(profile) {
    const {diff, sides} = profile.page;
    const list = (isNew) => element("ul", {}, ...sides.filter((side) => side.isNew === isNew).map(({path, program}) => element("li", {}, named(path), ": ", named(program))));
    this.node = element("section", {class: "view prose", tabindex: "0", "aria-label": "about"}, element("h2", {}, "Old"), list(false), element("h2", {}, "New"), list(true),
      element("h2", {}, "What to know about the figures"),
      element("p", {}, "Calls and times are means of a side's recordings; what is judged is " + diff.metric + ". " + (diff.test === null
        ? notJudged(diff)
        : "Changes are judged by " + diff.test + ": of all rows together, noise is called a change with a probability of " + diff.level +
          ". Rows that are the same, and grey nodes of trees, are not told from noise.")),
      element("h2", {}, "Colours"), element("p", {}, ...[["slower", 1], ["faster", -1], ["new", null], ["gone", null], ["same", 0]].flatMap(([verdict, relative]) => {
        const swatch = element("span", {class: "swatch", "aria-hidden": "true"});
        swatch.style.background = colorOfChange(verdict, relative);
        return [swatch, verdict];
      })));
  }

  show() {}
}
