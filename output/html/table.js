// The table: of any number of rows those that are in sight are there.
import {formatCount, formatSeconds, withoutFolders} from "./format.js";
import {element, replaceContents} from "./dom.js";
import {chosenRows, sortedRows} from "./selection.js";
import {TableRows} from "./table_rows.js";

const ROW_HEIGHT = 26;
const BEYOND = 8;

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
    this.body = element("tbody", {onclick: (event) => this.choose(this.shown.placeOf(event.target)), ondblclick: (event) => this.follow(event)});
    this.shown = new TableRows(this.body, (column, row) => this.cellOf(column, row));
    this.head = element("thead");
    this.groups = element("colgroup");
    this.table = element("table", {class: "rows", "aria-label": "rows of the profile"}, this.groups, this.head, this.body);
    this.scroller = element("div", {class: "scroller", tabindex: "0", role: "region", "aria-label": "rows; arrow keys choose one",
      onscroll: () => this.onScroll(), onkeydown: (event) => this.onKey(event)}, this.table);
    this.node = element("section", {class: "view", "aria-label": "table"}, this.scroller);
    this.rows = new Uint32Array(0);
    this.chosen = -1;
    // Kept, since to ask for them has everything laid out that was changed until then.
    this.width = this.height = this.top = 0;
    new ResizeObserver(([{contentRect}]) => this.onResize(contentRect)).observe(this.scroller);
  }

  // Names leave room for figures.
  get nameWidth() {
    return Math.round(Math.min(Math.max(0.45 * this.width, 170), 420));
  }

  onResize({width, height}) {
    this.width = width;
    this.height = height;
    if (!this.grouping) return;
    this.setWidths();
    this.draw();
  }

  onScroll() {
    this.top = this.scroller.scrollTop;
    this.draw();
  }

  show(state, grouping, passes) {
    const isNew = grouping !== this.grouping, isSorted = !isNew && state.sort === this.sort && state.up === this.up;
    this.grouping = grouping;
    this.sort = state.sort;
    this.up = state.up;
    this.rows = chosenRows(sortedRows(grouping, state.sort, state.up !== ""), passes);
    this.chosen = this.findChosen(state.row);
    if (isNew) this.setColumns();
    if (!isSorted) this.markSorted();
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

  setColumns() {
    this.columns = withGroups(this.grouping, this.figures.columnsOf(this.grouping));
    this.heads = this.columns.map((column) => this.makeHead(column));
    replaceContents(this.groups, ...this.columns.map(() => element("col")));
    replaceContents(this.head, element("tr", {"aria-rowindex": "1"}, ...this.heads.map(({node}) => node)));
    this.shown.setColumns(this.columns);
    this.setWidths();
  }

  makeHead(column) {
    const mark = element("span", {"aria-hidden": "true"});
    const button = element("button", {type: "button", title: column.help, disabled: column.isGroup || column.isFixed,
      onclick: () => this.sortBy(column.sort || column.key)}, column.title, mark);
    return {node: element("th", {scope: "col", class: column.isName || column.isGroup ? "name" : null}, button), mark, key: column.sort ? null : column.key};
  }

  markSorted() {
    for (const {node, mark, key} of this.heads) {
      const isSorted = key === this.sort;
      mark.textContent = isSorted ? (this.up ? " ▲" : " ▼") : "";
      if (isSorted) node.setAttribute("aria-sort", this.up ? "ascending" : "descending");
      else node.removeAttribute("aria-sort");
    }
  }

  setWidths() {
    const widths = this.columns.map(({width, isName}) => isName ? this.nameWidth : width);
    widths.forEach((width, i) => this.groups.children[i].setAttribute("width", width));
    this.table.setAttribute("width", widths.reduce((sum, width) => sum + width, 0));
  }

  sortBy(key) {
    const isName = key === "name", isSame = this.sort === key;
    this.view.set({sort: key, up: (isSame ? this.up === "" : isName) ? "1" : ""});
  }

  // Draws the rows in sight and some beyond. There may be fewer rows than were scrolled by, which the browser tells later.
  draw(anew = false) {
    if (!this.grouping) return;
    const height = this.height || 600, whole = this.rows.length * ROW_HEIGHT;
    const top = Math.max(0, Math.min(this.top, whole + ROW_HEIGHT - height) - ROW_HEIGHT);
    const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - BEYOND);
    const last = Math.min(this.rows.length, Math.ceil((top + height) / ROW_HEIGHT) + BEYOND);
    if (!anew && first === this.first && last === this.last) return;
    this.first = first;
    this.last = last;
    this.shown.show(this.rows, first, last, this.chosen, ROW_HEIGHT);
  }

  cellOf(column, row) {
    if (column.isName) return this.nameCell(row);
    if (column.isGroup) return this.groupCell(column.key, row);
    const {profile, grouping} = this;
    return {text: this.figures.cellText(profile, grouping, row, column.key), title: exactValue(grouping, row, column.key),
      isUncertain: Boolean(column.isTime && grouping.isUncertain && grouping.isUncertain[row])};
  }

  groupCell(group, row) {
    const text = this.grouping.groups[group][row] ?? "-", isOfFiles = group === "site" || group === "module";
    return {text: (isOfFiles ? withoutFolders(text) : text).slice(0, 300), title: isOfFiles ? text.slice(0, 2000) : null};
  }

  nameCell(row) {
    const name = this.profile.nameOf(this.grouping, row), place = this.profile.placeOf(this.grouping, row);
    return {text: name.slice(0, 300), title: name.slice(0, 2000), place: place ? " " + place.slice(place.lastIndexOf("/") + 1) : "", placeTitle: place || null};
  }

  choose(place) {
    if (place < 0 || place >= this.rows.length) return;
    const key = this.profile.rowKeyOf(this.grouping, this.rows[place]);
    this.chosen = place;
    this.view.set({row: key});
    this.bring(place);
    this.draw(true);
  }

  follow(event) {
    if (this.shown.placeOf(event.target) >= 0) this.view.set({view: this.figures.next}, true);
  }

  // Scrolls as far as is needed to have a row in sight, below the head.
  bring(place) {
    const top = place * ROW_HEIGHT, {scroller} = this, height = scroller.clientHeight - 2 * ROW_HEIGHT;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top > scroller.scrollTop + height) scroller.scrollTop = top - height;
    this.top = scroller.scrollTop;
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
