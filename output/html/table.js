// The table: of any number of rows those that are in sight are there.
import {formatCount, formatSeconds, withoutFolders} from "./format.js";
import {element, named, replaceContents} from "./dom.js";
import {chosenRows, sortedRows} from "./selection.js";

const ROW_HEIGHT = 26;
const BEYOND = 12;

const COLUMNS = [
  {key: "name", title: "function", width: 420, isName: true},
  {key: "ncalls", title: "calls", width: 130},
  {key: "tottime", title: "own time", width: 96, isTime: true, help: "seconds in the function itself"},
  {key: "tottimeShare", title: "own %", width: 76, sort: "tottime"},
  {key: "tottimePercall", title: "own per call", width: 106, isTime: true},
  {key: "cumtime", title: "with callees", width: 106, isTime: true, help: "seconds in the function and all that it called"},
  {key: "cumtimeShare", title: "with %", width: 76, sort: "cumtime"},
  {key: "cumtimePercall", title: "with per call", width: 106, isTime: true},
  {key: "min", title: "min", width: 90, isTime: true},
  {key: "p50", title: "p50", width: 90, isTime: true},
  {key: "p90", title: "p90", width: 90, isTime: true},
  {key: "p99", title: "p99", width: 90, isTime: true},
  {key: "max", title: "max", width: 90, isTime: true},
];
const ERROR_COLUMNS = [
  {key: "tottimeError", title: "± own", width: 86, isTime: true, help: "half of the interval that holds the own time with 95 %"},
  {key: "cumtimeError", title: "± with", width: 86, isTime: true, help: "half of the interval that holds the time with callees with 95 %"},
  {key: "timed", title: "timed calls", width: 110},
];
const WAIT_COLUMNS = [
  {key: "cpu", title: "computed", width: 90, isTime: true, help: "what of the own time threads computed"},
  {key: "wait", title: "waited", width: 90, isTime: true,
    help: "what of the own time threads waited of themselves: for input, a lock, another thread or for time to pass"},
  {key: "waitError", title: "± waited", width: 86, isTime: true, help: "by how much computed and waited may be off"},
  {key: "cumcpu", title: "computed with", width: 116, isTime: true, help: "what of the time with callees threads computed"},
  {key: "cumwait", title: "waited with", width: 106, isTime: true, help: "what of the time with callees threads waited of themselves"},
  {key: "cumwaitError", title: "± waited with", width: 112, isTime: true, help: "by how much the two may be off"},
];
const ASKED_COLUMNS = [
  {key: "allocs", title: "allocs", width: 100, help: "blocks that the calls themselves asked the allocator for"},
  {key: "allocbytes", title: "alloc bytes", width: 116, help: "bytes that they asked for"},
  {key: "unfreed", title: "unfreed bytes", width: 116, help: "bytes of these that were not freed"},
];
const AMOUNTS = new Set(["timed", ...ASKED_COLUMNS.map(({key}) => key)]);

export function timeText(seconds) {
  if (Number.isNaN(seconds)) return "–";
  return seconds === 0 ? "0" : formatSeconds(seconds);
}

// The exact number behind a cell, as `report --format json` has it; null where there is none.
function exactValue(grouping, row, key) {
  const value = grouping[key]?.[row];
  return value === undefined || Number.isNaN(value) ? null : String(value);
}

export function cellText(profile, grouping, row, key) {
  if (AMOUNTS.has(key)) return Number.isNaN(grouping[key][row]) ? "–" : formatCount(grouping[key][row]);
  switch (key) {
  case "ncalls": {
    const all = formatCount(grouping.ncalls[row]), {pcalls, ncalls} = grouping;
    return pcalls[row] === ncalls[row] ? all : all + "/" + formatCount(pcalls[row]);
  }
  case "tottimeShare": return (100 * profile.share(grouping.tottime[row])).toFixed(1);
  case "cumtimeShare": return Number.isNaN(grouping.cumtime[row]) ? "–" : (100 * profile.share(grouping.cumtime[row])).toFixed(1);
  case "tottimePercall": return grouping.ncalls[row] ? timeText(grouping.tottime[row] / grouping.ncalls[row]) : "–";
  case "cumtimePercall": return grouping.pcalls[row] ? timeText(grouping.cumtime[row] / grouping.pcalls[row]) : "–";
  default: return timeText(grouping[key][row]);
  }
}

// The columns of a grouping: names, what rows are by beside their functions, and figures.
function withGroups(grouping, [name, ...figures]) {
  const groups = Object.keys(grouping.groups).filter(() => grouping.by & 1).map((key) => ({key, title: key, width: key === "site" ? 260 : 170, isGroup: true}));
  return [name, ...groups, ...figures];
}

// What a table has of rows of a recording.
export const FIGURES = {
  columnsOf: (grouping) => [...COLUMNS.filter(({key}) => !/^p\d/.test(key) || grouping[key]), ...(grouping.hasErrors ? ERROR_COLUMNS : []),
    ...(grouping.hasWaits ? WAIT_COLUMNS : []), ...(grouping.hasAsked ? ASKED_COLUMNS : [])],
  cellText,
  next: "callers", // the view that Enter leads to
};

export class TableView {
  constructor(profile, view, figures = FIGURES) {
    this.profile = profile;
    this.view = view;
    this.figures = figures;
    this.body = element("tbody");
    this.head = element("thead");
    this.groups = element("colgroup");
    this.table = element("table", {class: "rows", "aria-label": "rows of the profile"}, this.groups, this.head, this.body);
    this.scroller = element("div", {class: "scroller", tabindex: "0", role: "region", "aria-label": "rows; arrow keys choose one",
      onscroll: () => this.draw(), onkeydown: (event) => this.onKey(event)}, this.table);
    this.node = element("section", {class: "view", "aria-label": "table"}, this.scroller);
    this.rows = new Uint32Array(0);
    this.chosen = -1;
    new ResizeObserver(() => this.onResize()).observe(this.scroller);
  }

  // Names leave room for figures.
  get nameWidth() {
    return Math.round(Math.min(Math.max(0.45 * this.scroller.clientWidth, 170), 420));
  }

  onResize() {
    if (!this.grouping) return;
    this.drawHead();
    this.draw();
  }

  show(state, grouping, passes) {
    const isNew = grouping !== this.grouping || state.sort !== this.sort || state.up !== this.up;
    this.grouping = grouping;
    this.sort = state.sort;
    this.up = state.up;
    this.rows = chosenRows(sortedRows(grouping, state.sort, state.up !== ""), passes);
    this.chosen = this.findChosen(state.row);
    if (isNew) this.drawHead();
    this.table.setAttribute("aria-rowcount", String(this.rows.length + 1));
    this.draw(true);
  }

  findChosen(key) {
    const identity = this.profile.identityOf(key), {grouping} = this;
    if (!identity) return -1;
    const named = this.rows.indexOf(identity.row);
    if (named >= 0 && this.profile.rowKeyOf(grouping, identity.row) === key) return named;
    const one = identity.function.number, signature = identity.signature ? identity.signature.number : -1;
    return this.rows.findIndex((row) => grouping.function[row] === one && grouping.signature[row] === signature);
  }

  get columns() {
    return withGroups(this.grouping, this.figures.columnsOf(this.grouping));
  }

  drawHead() {
    const cells = this.columns.map((column) => {
      const key = column.sort || column.key, isSorted = key === this.sort && !column.sort;
      const button = element("button", {type: "button", title: column.help, disabled: column.isGroup || column.isFixed,
        onclick: () => this.sortBy(key)}, column.title, isSorted ? element("span", {"aria-hidden": "true"}, this.up ? " ▲" : " ▼") : "");
      return element("th", {scope: "col", class: column.isName || column.isGroup ? "name" : null,
        "aria-sort": isSorted ? (this.up ? "ascending" : "descending") : null}, button);
    });
    const widths = this.columns.map(({width, isName}) => isName ? this.nameWidth : width);
    replaceContents(this.groups, ...widths.map((width) => element("col", {width})));
    this.table.setAttribute("width", widths.reduce((sum, width) => sum + width, 0));
    replaceContents(this.head, element("tr", {"aria-rowindex": "1"}, ...cells));
  }

  sortBy(key) {
    const isName = key === "name", isSame = this.sort === key;
    this.view.set({sort: key, up: (isSame ? this.up === "" : isName) ? "1" : ""});
  }

  // Draws the rows in sight and some beyond.
  draw(anew = false) {
    if (!this.grouping) return;
    const height = this.scroller.clientHeight || 600, top = Math.max(0, this.scroller.scrollTop - ROW_HEIGHT);
    const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - BEYOND);
    const last = Math.min(this.rows.length, Math.ceil((top + height) / ROW_HEIGHT) + BEYOND);
    if (!anew && first === this.first && last === this.last) return;
    this.first = first;
    this.last = last;
    const rows = [];
    for (let i = first; i < last; i++) rows.push(this.makeRow(i));
    const space = (count) => count > 0 ? element("tr", {"aria-hidden": "true", class: "space"},
      element("td", {colspan: this.columns.length, height: count * ROW_HEIGHT})) : null;
    replaceContents(this.body, space(first), ...rows, space(this.rows.length - last));
    if (this.rows.length === 0)
      replaceContents(this.body, element("tr", {}, element("td", {colspan: this.columns.length, class: "name"}, "No row passes the filters.")));
  }

  makeRow(place) {
    const row = this.rows[place], {profile, grouping} = this;
    const cells = this.columns.map((column) => {
      if (column.isName) return this.nameCell(row);
      if (column.isGroup) return this.groupCell(column.key, row);
      return element("td", {class: column.isTime && grouping.isUncertain && grouping.isUncertain[row] ? "uncertain" : null,
        title: exactValue(grouping, row, column.key)}, this.figures.cellText(profile, grouping, row, column.key));
    });
    return element("tr", {"aria-rowindex": place + 2, "aria-selected": place === this.chosen ? "true" : "false",
      onclick: () => this.choose(place), ondblclick: () => this.view.set({view: this.figures.next}, true)}, ...cells);
  }

  groupCell(group, row) {
    const text = this.grouping.groups[group][row] ?? "-", isOfFiles = group === "site" || group === "module";
    return element("td", {class: "name", title: isOfFiles ? text.slice(0, 2000) : null}, named((isOfFiles ? withoutFolders(text) : text).slice(0, 300)));
  }

  nameCell(row) {
    const name = this.profile.nameOf(this.grouping, row), place = this.profile.placeOf(this.grouping, row);
    return element("th", {scope: "row", class: "name", title: name.slice(0, 2000)}, named(name.slice(0, 300), {class: "who"}),
      place ? named(" " + place.slice(place.lastIndexOf("/") + 1), {class: "where", title: place}) : "");
  }

  choose(place) {
    if (place < 0 || place >= this.rows.length) return;
    const key = this.profile.rowKeyOf(this.grouping, this.rows[place]);
    this.chosen = place;
    this.view.set({row: key});
    this.bring(place);
    this.draw(true);
  }

  // Scrolls as far as is needed to have a row in sight, below the head.
  bring(place) {
    const top = place * ROW_HEIGHT, {scroller} = this, height = scroller.clientHeight - 2 * ROW_HEIGHT;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top > scroller.scrollTop + height) scroller.scrollTop = top - height;
  }

  onKey(event) {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW_HEIGHT) - 2);
    const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity};
    if (event.target !== this.scroller) return;
    if (event.key === "Enter" && this.chosen >= 0) this.view.set({view: this.figures.next}, true);
    else if (event.key in steps) this.choose(Math.min(Math.max(this.chosen + steps[event.key], 0), this.rows.length - 1));
    else return;
    event.preventDefault();
  }
}
