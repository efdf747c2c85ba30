// Starts a page: decodes its data, makes the views, and shows the one that the address asks for.
import {decodePage, unpack} from "./decode.js";
import {element, named, replaceContents} from "./dom.js";
import {formatCount} from "./format.js";
import {Profile, namesOfBy} from "./model.js";
import {makePage} from "./pages.js";
import {FilterError, filteredRows} from "./selection.js";
import {Tree} from "./tree.js";
import {ViewState} from "./view_state.js";

const FILTERS = [
  {key: "function", title: "function", hint: "regular expression of file:line(function)"},
  {key: "signature", title: "arguments", hint: "n >= 4096 && mode == FAST", needs: "signature"},
  {key: "stage", title: "stage", hint: "glob", needs: "stage"},
  {key: "thread", title: "thread", hint: "glob", needs: "thread"},
  {key: "module", title: "module", hint: "glob", needs: "module"},
];

class App {
  constructor(profile) {
    this.profile = profile;
    this.view = new ViewState(window);
    const {trees, diff} = profile.page, runs = diff ? [diff.new_recordings, diff.old_recordings] : [];
    this.trees = trees.map((decoded, i) => new Tree(profile.page, decoded, runs[i]));
    this.page = makePage(profile, this.view);
    this.views = this.page.views;
    this.makeFrame();
    this.view.listen((state, before) => this.show(state, before));
    this.show(this.view.state, {});
    document.addEventListener("keydown", (event) => this.onKey(event));
  }

  makeFrame() {
    this.tabs = new Map([...this.views.keys()].map((name) => [name, element("button", {type: "button", role: "tab", id: "tab-" + name,
      "aria-controls": "shown", onclick: () => this.view.set({view: name}, true)}, name)]));
    this.by = element("select", {id: "by", onchange: () => this.view.set({by: this.by.value, row: "", zoom: ""}, true)},
      ...[...this.profile.groupings.keys()].map((by) => element("option", {value: namesOfBy(by)}, namesOfBy(by).replace(/,/g, " and "))));
    this.color = element("select", {id: "color", onchange: () => this.view.set({color: this.color.value})},
      ...["module", "stage", "function"].map((name) => element("option", {value: name}, name)));
    this.side = element("select", {id: "side", onchange: () => this.view.set({side: this.side.value, zoom: ""})},
      ...["new", "old"].map((name) => element("option", {value: name === "new" ? "" : name}, name)));
    this.fields = new Map(FILTERS.filter(({needs}) => !needs || [...this.profile.groupings.keys()].some((by) =>
      namesOfBy(by).split(",").includes(needs))).map((filter) => [filter.key, this.makeField(filter)]));
    this.search = this.makeField({key: "search", title: "search", hint: "regular expression"});
    this.status = element("p", {class: "status", role: "status", "aria-live": "polite"});
    this.shown = element("div", {id: "shown", role: "tabpanel"});
    this.tools = element("div", {class: "tools"});
    replaceContents(document.querySelector("main"),
      element("header", {}, element("h1", {}, named(this.page.title)), element("p", {class: "totals"}, this.page.totals),
        this.page.note ? element("p", {class: "note"}, this.page.note) : null),
      element("nav", {role: "tablist", "aria-label": "views", onkeydown: (event) => this.onTabKey(event)}, ...this.tabs.values()),
      this.tools, this.status, this.shown);
  }

  makeField({key, title, hint}) {
    const input = element("input", {type: "search", id: "field-" + key, placeholder: hint, spellcheck: "false", autocomplete: "off",
      "aria-describedby": "status", oninput: () => this.view.set({[key]: input.value})});
    return {input, label: element("label", {for: input.id}, title, input)};
  }

  // The tree of what rows are by; of a comparison, that of a side.
  treeOf(grouping) {
    if (this.profile.page.diff) return this.trees[this.view.get("side") === "old" ? 1 : 0];
    const isBySignature = Boolean(grouping.by & 2);
    return this.trees.find((_, i) => this.profile.page.trees[i].isBySignature === isBySignature) || this.trees[0];
  }

  toolsOf(name) {
    const label = (text, control) => element("label", {for: control.id}, text, control);
    const by = this.profile.groupings.size > 1 ? [label("by", this.by)] : [];
    if (name === "table") return [...by, ...[...this.fields.values()].map((field) => field.label)];
    const trees = this.profile.page.diff ? [label("of", this.side)] : [...by, label("colour", this.color)];
    if (name === "icicle") return [...trees, this.search.label];
    if (name === "sunburst") return trees;
    if (name === "callers") return by;
    return [];
  }

  fill(state, grouping) {
    for (const [key, {input}] of [...this.fields, ["search", this.search]])
      if (input !== document.activeElement) input.value = state[key];
    this.by.value = namesOfBy(grouping.by);
    this.side.value = state.side;
    this.color.value = state.color || this.treeOf(grouping).bestColor;
    for (const [name, tab] of this.tabs) {
      tab.setAttribute("aria-selected", String(name === state.view));
      tab.tabIndex = name === state.view ? 0 : -1;
    }
  }

  filter(grouping, state) {
    for (const {input} of this.fields.values()) input.removeAttribute("aria-invalid");
    try {
      const filtered = filteredRows(this.profile, grouping, state);
      this.status.textContent = formatCount(filtered.count) + " of " + formatCount(grouping.listed) + " rows" + (filtered.undecided > 0 ? "; of " +
        formatCount(filtered.undecided) + " signatures it is not known whether the arguments fulfil the condition" : "");
      this.passes = filtered.passes;
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      this.fields.get(error.field)?.input.setAttribute("aria-invalid", "true");
      this.status.textContent = error.field + ": " + error.message;
      if (!this.passes || this.passes.length !== grouping.listed) this.passes = new Uint8Array(grouping.listed).fill(1);
    }
    return this.passes;
  }

  show(state, before) {
    const name = this.views.has(state.view) ? state.view : "table", view = this.views.get(name);
    const grouping = this.profile.grouping(state.by);
    this.fill({...state, view: name}, grouping);
    if (name !== before.view || !this.shown.firstChild) {
      replaceContents(this.tools, ...this.toolsOf(name));
      replaceContents(this.shown, view.node);
      this.shown.setAttribute("aria-labelledby", "tab-" + name);
      this.status.hidden = name !== "table";
    }
    const sort = state.sort === "name" || grouping[state.sort] || /Percall$/.test(state.sort) && grouping.ncalls ? state.sort : this.page.sort;
    if (name === "table") view.show({...state, sort}, grouping, this.filter(grouping, state));
    else view.show(state, name === "callers" ? grouping : this.treeOf(grouping));
  }

  onTabKey(event) {
    const names = [...this.tabs.keys()], step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    const next = names[(names.indexOf(this.view.get("view")) + step + names.length) % names.length];
    event.preventDefault();
    this.view.set({view: next}, true);
    this.tabs.get(next).focus();
  }

  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
    const names = [...this.views.keys()], number = Number(event.key);
    if (event.key === "/") {
      (this.view.get("view") === "icicle" ? this.search : this.fields.get("function")).input.focus();
      event.preventDefault();
    } else if (number >= 1 && number <= names.length) {
      this.view.set({view: names[number - 1]}, true);
    }
  }
}

// What the first condition on arguments needs, before somebody waits for it: a little at a time, since they may ask for something else.
function prepare(profile) {
  if (!profile.prepare(performance.now() + 8)) setTimeout(() => prepare(profile));
}

async function start() {
  const data = document.getElementById("data");
  const page = decodePage(await unpack(data.textContent));
  data.remove();
  const profile = new Profile(page);
  new App(profile);
  document.documentElement.dataset.ready = "true";
  setTimeout(() => prepare(profile), 200);
}

start().catch((error) => {
  replaceContents(document.querySelector("main"), element("p", {role: "alert"}, "This page cannot be shown: " + error.message));
});
