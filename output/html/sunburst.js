// The sunburst: callers inside of callees, each as far around as its time.
import {Colors, colorOfName} from "./colors.js";
import {element, named, replaceContents, ruler} from "./dom.js";
import {fitted, formatSeconds, formatShare, shortened, visible} from "./format.js";

const RADIUS = 320, RINGS = 8;

export class SunburstView {
  // `paint`, if it is there, has the colour of a node and words on it.
  constructor(profile, view, paint = null) {
    this.profile = profile;
    this.view = view;
    this.paint = paint;
    this.readout = element("p", {class: "readout", role: "status", "aria-live": "polite", tabindex: "0"});
    this.svg = d3.create("svg").attr("class", "sunburst").attr("viewBox", [-RADIUS, -RADIUS, 2 * RADIUS, 2 * RADIUS]).attr("tabindex", 0)
      .attr("role", "group").attr("aria-roledescription", "sunburst")
      .attr("aria-label", "time by callers inside of callees; arrow keys move, Enter zooms, Escape goes out").on("keydown", () => this.onKey(d3.event));
    this.node = element("section", {class: "view", "aria-label": "sunburst"}, this.readout, element("div", {class: "scroller round"}, this.svg.node()));
    this.current = 0;
  }

  show(state, tree) {
    const root = Number(state.zoom) || 0;
    this.tree = tree;
    this.state = {...state, color: state.color || tree.bestColor};
    this.root = root > 0 && root < tree.count ? root : 0;
    if (this.current < this.root || this.current >= tree.end[this.root]) this.current = this.root;
    this.draw();
    this.tell(this.current);
  }

  colorOf(node) {
    const {tree, state} = this;
    if (node === 0 || tree.frame[node] < 0) return "var(--quiet)";
    if (this.paint) return this.paint.color(tree.key(node));
    if (state.color === "function") return colorOfName(tree.functionOf(node)?.name ?? tree.name(node));
    return this.colors.of((state.color === "stage" ? tree.stage(node) : tree.module(node)) ?? "-");
  }

  draw() {
    const {tree, root} = this, weight = tree.weight(root) || 1, ring = RADIUS / (RINGS + 1), first = tree.depth[root];
    const nodes = tree.wide(root, weight / (2 * Math.PI * RADIUS), RINGS + 1);
    const angle = (seconds) => 2 * Math.PI * (seconds - tree.start[root]) / weight;
    const arc = d3.arc().startAngle((node) => angle(tree.start[node])).endAngle((node) => angle(tree.start[node] + tree.weight(node)))
      .innerRadius((node) => node === root ? 0 : (tree.depth[node] - first) * ring).outerRadius((node) => (tree.depth[node] - first + 1) * ring - 1);
    this.colors = new Colors();
    this.svg.selectAll("path").data(nodes, (node) => node).join((enter) => enter.append("path")
      .on("click", (node) => this.zoom(node === this.root ? Math.max(this.tree.parent[node], 0) : node)).on("mouseenter", (node) => this.tell(node)))
      .attr("d", arc).attr("class", (node) => this.classOf(node)).style("fill", (node) => this.colorOf(node));
    const around = (node) => angle(tree.start[node] + tree.weight(node)) - angle(tree.start[node]);
    this.drawNames(nodes.filter((node) => node !== root), angle, around, ring);
  }

  // Along a ring where it has room, else outwards.
  drawNames(nodes, angle, around, ring) {
    const {tree} = this, first = tree.depth[this.root], radius = (node) => (tree.depth[node] - first + 0.5) * ring;
    const measure = ruler(this.svg.node());
    // A straight text stays in its ring.
    const along = (node) => Math.min(around(node) * 0.85 * radius(node), Math.sqrt(8 * radius(node) * (ring / 2 - 7)));
    const room = (node) => along(node) > ring ? along(node) : around(node) * radius(node) > 14 ? ring - 4 : 0;
    this.svg.selectAll("text").data(nodes.filter((node) => room(node) > 0), (node) => node).join("text").attr("transform", (node) => {
      const middle = angle(tree.start[node] + tree.weight(node) / 2), turn = middle * 180 / Math.PI - 90;
      const isLow = middle > Math.PI / 2 && middle < 3 * Math.PI / 2;
      const own = along(node) > ring ? (isLow ? -90 : 90) : middle > Math.PI ? 180 : 0;
      return "rotate(" + turn + ") translate(" + radius(node) + " 0) rotate(" + own + ")";
    }).attr("text-anchor", "middle").attr("dy", "0.35em").text((node) => fitted(visible(tree.name(node).slice(0, 200)), room(node), measure));
  }

  classOf(node) {
    const key = this.tree.key(node), row = this.state.row.split("@")[0];
    return (row !== "" && (key === row || key.split(".")[0] === row) ? "chosen " : "") + (node === this.current ? "current" : "");
  }

  tell(node) {
    const {tree} = this, weight = tree.weight(node);
    replaceContents(this.readout, named(shortened(tree.name(node), 1000), {class: "who"}), " " + formatSeconds(weight) + " (" +
      formatShare(tree.weight(0) > 0 ? weight / tree.weight(0) : 0) + ")" + (tree.depth[this.root] > 0 ? ", below " : ""),
    tree.depth[this.root] > 0 ? named(shortened(tree.name(tree.parent[this.root]), 200)) : "",
    this.paint && this.paint.words(tree.key(node)) ? ", " + this.paint.words(tree.key(node)) : "");
  }

  zoom(node) {
    const key = this.tree.key(node);
    this.current = node;
    this.view.set({zoom: node === 0 ? "" : String(node), ...(key ? {row: key} : {})}, true);
  }

  onKey(event) {
    const {tree, current} = this, next = tree.step(current, this.root, event.key, "ArrowUp", "ArrowDown");
    if (event.key === "Enter") this.zoom(current);
    else if (event.key === "Escape") this.zoom(Math.max(tree.parent[this.root], 0));
    else if (next === null) return;
    event.preventDefault();
    if (next === null || next === current) return;
    this.current = next;
    this.svg.selectAll("path").attr("class", (node) => this.classOf(node));
    this.tell(next);
  }
}
