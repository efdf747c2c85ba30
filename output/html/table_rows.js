// Rows of a table on the screen. Their elements are made once, and filled anew when others come into sight: to make them, and to have
// them laid out for the first time, takes several times as long.
import {element} from "./dom.js";
import {visible} from "./format.js";

// An element with one text. What it has already is not set again, which would have it laid out.
class Filled {
  constructor(node, inner = node) {
    this.node = node;
    this.text = document.createTextNode("");
    this.title = null;
    inner.append(this.text);
  }

  fill(text, title) {
    const shown = visible(text);
    if (this.text.data !== shown) this.text.data = shown;
    if (this.title === title) return;
    this.title = title;
    if (title === null) this.node.removeAttribute("title");
    else this.node.setAttribute("title", title);
  }
}

// A name, and the place that it has; neither turns around what stands beside it.
class NameCell {
  constructor() {
    const who = element("bdi", {class: "who"}), where = element("bdi", {class: "where"});
    this.node = element("th", {scope: "row", class: "name"}, who, where);
    this.name = new Filled(this.node, who);
    this.place = new Filled(where);
  }

  fill({text, title, place, placeTitle}) {
    this.name.fill(text, title);
    this.place.fill(place, placeTitle);
  }
}

class GroupCell {
  constructor() {
    const inner = element("bdi");
    this.node = element("td", {class: "name"}, inner);
    this.text = new Filled(this.node, inner);
  }

  fill({text, title}) {
    this.text.fill(text, title);
  }
}

class FigureCell {
  constructor() {
    this.node = element("td");
    this.text = new Filled(this.node);
    this.isUncertain = false;
  }

  fill({text, title, isUncertain}) {
    this.text.fill(text, title);
    if (this.isUncertain === isUncertain) return;
    this.isUncertain = isUncertain;
    this.node.classList.toggle("uncertain", isUncertain);
  }
}

// What stands in place of the rows above those in sight, or below.
class Space {
  constructor() {
    this.cell = element("td");
    this.node = element("tr", {"aria-hidden": "true", class: "space", hidden: true}, this.cell);
    this.height = 0;
  }

  fill(height) {
    if (this.height === height) return;
    this.height = height;
    this.cell.setAttribute("height", height);
    this.node.hidden = height === 0;
  }
}

export class TableRows {
  // `cellOf(column, row)`: what a cell is filled with.
  constructor(body, cellOf) {
    this.body = body;
    this.cellOf = cellOf;
    this.above = new Space();
    this.below = new Space();
    this.setColumns([]);
  }

  setColumns(columns) {
    this.columns = columns;
    this.made = [];
    this.shown = 0;
    this.none = element("tr", {}, element("td", {colspan: columns.length, class: "name"}, "No row passes the filters."));
    for (const space of [this.above, this.below]) space.cell.setAttribute("colspan", columns.length);
    this.body.replaceChildren(this.above.node, this.below.node);
  }

  makeRow() {
    const cells = this.columns.map(({isName, isGroup}) => isName ? new NameCell() : isGroup ? new GroupCell() : new FigureCell());
    return {cells, node: element("tr", {}, ...cells.map(({node}) => node))};
  }

  // As many rows stand in the table as are shown; those that are not are kept.
  setCount(count) {
    while (this.made.length < count) this.made.push(this.makeRow());
    for (; this.shown < count; this.shown++) this.below.node.before(this.made[this.shown].node);
    while (this.shown > count) this.made[--this.shown].node.remove();
  }

  // Shows [first, last) of `rows`, of which each is `height` high, the chosen one among them.
  show(rows, first, last, chosen, height) {
    this.above.fill(first * height);
    this.below.fill((rows.length - last) * height);
    this.setCount(last - first);
    if (rows.length === 0) this.below.node.before(this.none);
    else this.none.remove();
    for (let place = first; place < last; place++) this.fillRow(this.made[place - first], rows[place], place, place === chosen);
  }

  fillRow({node, cells}, row, place, isChosen) {
    cells.forEach((cell, i) => cell.fill(this.cellOf(this.columns[i], row)));
    node.setAttribute("aria-rowindex", place + 2);
    node.setAttribute("aria-selected", isChosen ? "true" : "false");
  }

  // The place of the row that an element lies in; -1 for none.
  placeOf(node) {
    const row = node.closest("tr[aria-rowindex]");
    return row ? Number(row.getAttribute("aria-rowindex")) - 2 : -1;
  }
}
