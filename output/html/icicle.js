// The icicle: callers above callees, each as wide as its time.
import {Colors, colorOfName} from "./colors.js";
import {element, named, replaceContents, ruler} from "./dom.js";
import {callsText, fitted, formatSeconds, formatShare, shortened, visible} from "./format.js";

const HEIGHT = 20, MARGIN = 4;

export class IcicleView {
  // `paint`, if it is there, has the colour of a node and words on it.
  constructor(profile, view, paint = null) {
    this.profile = profile;
    this.view = view;
    this.paint = paint;
    this.svg = d3.create("svg").attr("class", "icicle").attr("role", "group").attr("aria-roledescription", "icicle").attr("tabindex", 0)
      .attr("aria-label", "time by callers above callees; arrow keys move, Enter zooms, 0 shows all")
      .on("keydown", () => this.onKey(d3.event));
    this.readout = element("p", {class: "readout", role: "status", "aria-live": "polite", tabindex: "0"});
    this.path = element("nav", {class: "path", "aria-label": "callers of what is shown"});
    this.legend = element("p", {class: "colors-used", role: "group", "aria-label": "colours", tabindex: "0"});
    this.node = element("section", {class: "view", "aria-label": "icicle"}, this.path, this.readout,
      element("div", {class: "scroller"}, this.svg.node()), this.legend);
    this.current = 0;
    new ResizeObserver(() => this.tree && this.draw()).observe(this.node);
  }

  show(state, tree) {
    const root = Number(state.zoom) || 0;
    this.tree = tree;
    this.root = root > 0 && root < tree.count ? root : 0;
    this.state = {...state, color: state.color || tree.bestColor};
    this.found = state.search ? this.search(state.search) : null;
    if (this.current >= tree.count || !this.isInside(this.current)) this.current = this.root;
    this.draw();
    this.tell(this.current);
  }

  isInside(node) {
    return node >= this.root && node < this.tree.end[this.root];
  }

  search(text) {
    try {
      const regex = new RegExp(text);
      return this.tree.search((name) => regex.test(name));
    } catch (error) {
      return {frames: null, message: error.message};
    }
  }

  colorOf(node) {
    const {tree, state} = this;
    if (node === 0 || tree.frame[node] < 0) return "var(--quiet)";
    if (this.found && this.found.frames) return this.found.frames[tree.frame[node]] ? "var(--found)" : "var(--quiet)";
    if (this.paint) return this.paint.color(tree.key(node));
    if (state.color === "function") return colorOfName(tree.functionOf(node)?.name ?? tree.name(node));
    return this.colors.of((state.color === "stage" ? tree.stage(node) : tree.module(node)) ?? "-");
  }

  draw() {
    const {tree, root} = this, width = Math.max(280, this.node.clientWidth - 2), weight = tree.weight(root);
    const nodes = weight > 0 ? tree.wide(root, weight / width) : [root];
    const first = tree.depth[root], deepest = nodes.reduce((most, node) => Math.max(most, tree.depth[node]), first);
    const x = d3.scaleLinear().domain([tree.start[root], tree.start[root] + (weight || 1)]).range([0, width]);
    const wide = (node) => node === root ? width : x(tree.start[node] + tree.weight(node)) - x(tree.start[node]);
    const measure = ruler(this.svg.node());
    this.colors = new Colors();
    this.svg.attr("width", width).attr("height", (deepest - first + 1) * HEIGHT);
    const groups = this.svg.selectAll("g").data(nodes, (node) => node).join((enter) => {
      const made = enter.append("g");
      made.append("rect").attr("height", HEIGHT - 1);
      made.append("text").attr("x", MARGIN).attr("y", HEIGHT - 6);
      return made.on("click", (node) => this.zoom(node)).on("mouseenter", (node) => this.tell(node));
    }).attr("transform", (node) => "translate(" + (node === root ? 0 : x(tree.start[node])) + " " + (tree.depth[node] - first) * HEIGHT + ")")
      .attr("class", (node) => this.classOf(node));
    groups.select("rect").attr("width", (node) => Math.max(wide(node) - 0.5, 0.5)).style("fill", (node) => this.colorOf(node));
    groups.select("text").text((node) => wide(node) > 30 ? fitted(visible(tree.name(node).slice(0, 400)), wide(node) - 2 * MARGIN, measure) : "");
    this.drawPath();
    this.drawLegend();
  }

  classOf(node) {
    const key = this.tree.key(node), row = this.state.row.split("@")[0];
    const isChosen = row !== "" && (key === row || key.split(".")[0] === row);
    return (isChosen ? "chosen " : "") + (node === this.current ? "current" : "");
  }

  drawPath() {
    const {tree, root} = this;
    replaceContents(this.path, ...tree.ancestors(root).map((node) =>
      element("button", {type: "button", onclick: () => this.zoom(node), title: tree.name(node).slice(0, 2000)},
        named(shortened(tree.name(node), 60)))));
  }

  drawLegend() {
    const {color} = this.state, entries = this.found || this.paint || color === "function" ? [] : [...this.colors.numbers.keys()];
    replaceContents(this.legend, ...entries.slice(0, 30).flatMap((name) => {
      const swatch = element("span", {class: "swatch", "aria-hidden": "true"});
      swatch.style.background = this.colors.of(name);
      return [swatch, named(name === "-" ? "no " + color : shortened(name, 80)), " "];
    }), entries.length > 30 ? "and " + (entries.length - 30) + " more" : null);
  }

  // Reads out a node.
  tell(node) {
    const {tree, found} = this, weight = tree.weight(node), words = [
      formatSeconds(weight) + " (" + formatShare(tree.weight(0) > 0 ? weight / tree.weight(0) : 0) + ")",
      node > 0 ? "own " + formatSeconds(tree.own[node]) + ", " + callsText(tree.calls[node]) + " calls" : null,
      tree.stage(node) ? "stage " + tree.stage(node) : null,
      this.paint ? this.paint.words(tree.key(node)) : null,
    ].filter(Boolean).join(", ");
    const matches = found && (found.frames ? found.nodes + " found, " + formatSeconds(found.seconds) + " (" +
      formatShare(tree.weight(0) > 0 ? found.seconds / tree.weight(0) : 0) + "). " : "search: " + found.message + ". ");
    replaceContents(this.readout, matches || "", named(shortened(tree.name(node), 1000), {class: "who"}), " " + visible(words));
  }

  zoom(node) {
    this.current = node;
    const key = this.tree.key(node);
    this.view.set({zoom: node === 0 ? "" : String(node), ...(key ? {row: key} : {})}, true);
    if (node === this.root) this.draw();
    this.tell(node);
  }

  onKey(event) {
    const {tree, current} = this, next = tree.step(current, this.root, event.key, "ArrowDown", "ArrowUp");
    if (event.key === "Enter") this.zoom(current);
    else if (event.key === "Escape") this.zoom(Math.max(tree.parent[this.root], 0));
    else if (event.key === "0") this.zoom(0);
    else if (next === null) return;
    event.preventDefault();
    if (next === null || next === current) return;
    this.current = next;
    this.svg.selectAll("g").attr("class", (node) => this.classOf(node));
    this.tell(next);
  }
}
