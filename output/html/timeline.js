// The timeline: a lane for each thread or replica, with what it called, worked on and waited for.
import {Colors, colorOfName} from "./colors.js";
import {element, named, replaceContents, ruler} from "./dom.js";
import {fitted, formatCount, formatSeconds, shortened, visible} from "./format.js";

const LANE = 18, GAP = 8, NAME = 190, AXIS = 24, MOST_LEVELS = 12;

// The spans of each lane with the level that they stand on: those around them are above.
export function lanesOf(timeline) {
  const lanes = timeline.rows.map((row) => ({...row, spans: [], levels: 1}));
  const ranges = {name: "ranges", process: "", spans: [], levels: 1};
  for (const span of timeline.spans) (span.row < 0 ? ranges : lanes[span.row]).spans.push(span);
  if (ranges.spans.length > 0) lanes.push(ranges);
  for (const lane of lanes) {
    const open = [];
    lane.spans.sort((a, b) => a.start - b.start || b.end - a.end);
    for (const span of lane.spans) {
      let level = open.findIndex((end) => end <= span.start);
      if (level < 0) level = open.length;
      else if (lane !== ranges) open.length = level;
      open[level] = span.end;
      span.level = level;
      lane.levels = Math.max(lane.levels, Math.min(level + 1, MOST_LEVELS));
    }
  }
  return lanes.filter(({spans}) => spans.length > 0);
}

// The spans of a lane between two times; of those narrower than `least` that follow each other, one for all.
export function spansInSight(lane, from, until, least) {
  const shown = [], ends = [];
  for (const span of lane.spans) {
    if (span.end < from || span.start > until || span.level >= MOST_LEVELS) continue;
    const isNarrow = span.end - span.start < least;
    if (isNarrow && span.start < (ends[span.level] ?? -Infinity)) continue;
    if (isNarrow) ends[span.level] = span.start + least;
    shown.push(span);
  }
  return shown;
}

export class TimelineView {
  constructor(profile, view) {
    this.profile = profile;
    this.view = view;
    this.lanes = lanesOf(profile.page.timeline);
    this.end = d3.max(profile.page.timeline.spans, ({end}) => end) || 1e-9;
    this.colors = new Colors();
    this.readout = element("p", {class: "readout", role: "status", "aria-live": "polite"},
      "Point at a span to read it; drag or use the wheel to zoom. Arrow keys, + and - and 0 do the same.");
    this.height = AXIS + this.lanes.reduce((sum, lane) => sum + lane.levels * LANE + GAP, 0);
    this.svg = d3.create("svg").attr("class", "timeline").attr("role", "group").attr("aria-roledescription", "timeline").attr("tabindex", 0)
      .attr("aria-label", "timeline of " + this.lanes.length + " lanes").attr("height", this.height).on("keydown.move", () => this.onKey(d3.event));
    this.field = this.svg.append("svg").attr("x", NAME);
    this.axis = this.svg.append("g").attr("class", "axis").attr("transform", "translate(" + NAME + " " + AXIS + ")");
    this.drawNames();
    this.zoom = d3.zoom().scaleExtent([1, 1e6]).on("zoom", () => this.draw(d3.event.transform));
    this.field.call(this.zoom).on("dblclick.zoom", () => this.field.call(this.zoom.transform, d3.zoomIdentity));
    const {leftOut} = profile.page.timeline;
    this.node = element("section", {class: "view", "aria-label": "timeline"}, this.readout,
      leftOut > 0 ? element("p", {class: "where"}, formatCount(leftOut) + " shorter spans are not in this page.") : null,
      element("div", {class: "scroller"}, this.svg.node()));
    new ResizeObserver(() => this.layOut()).observe(this.node);
  }

  drawNames() {
    let y = AXIS;
    for (const lane of this.lanes) {
      lane.y = y;
      y += lane.levels * LANE + GAP;
    }
    this.svg.selectAll("text.lane").data(this.lanes).join("text").attr("class", "lane").attr("x", 4).attr("y", ({y: top}) => top + LANE - 5)
      .text(({name}) => shortened(visible(name), 26)).append("title").text(({name, process}) => visible(name + (process ? " of " + process : "")).slice(0, 500));
  }

  show(state) {
    this.row = state.row.split(".")[0];
    this.layOut();
  }

  layOut() {
    this.width = Math.max(200, this.node.clientWidth - NAME - 20);
    this.svg.attr("width", this.width + NAME);
    this.field.attr("width", this.width).attr("height", this.height);
    this.zoom.extent([[0, 0], [this.width, this.height]]).translateExtent([[0, 0], [this.width, this.height]]);
    this.draw(d3.zoomTransform(this.field.node()));
  }

  colorOf(span) {
    if (span.kind === "wait") return "var(--quiet)";
    if (span.stage) return this.colors.of(span.stage);
    return colorOfName(span.function < 0 ? span.text : this.profile.functions[span.function].name);
  }

  draw(transform) {
    const x = transform.rescaleX(d3.scaleLinear().domain([0, this.end]).range([0, this.width])), [from, until] = x.domain();
    const shown = this.lanes.flatMap((lane) => spansInSight(lane, from, until, (until - from) / this.width).map((span) => ({span, lane})));
    const wide = ({span}) => Math.max(x(Math.min(span.end, until)) - x(Math.max(span.start, from)), 1);
    const left = ({span}) => x(Math.max(span.start, from));
    this.axis.call(d3.axisTop(x).ticks(Math.max(2, Math.floor(this.width / 110))).tickFormat((time) => time === 0 ? "0" : formatSeconds(time)));
    const measure = ruler(this.field.node());
    const groups = this.field.selectAll("g").data(shown, ({span}) => span.number).join((enter) => {
      const made = enter.append("g");
      made.append("rect").attr("height", LANE - 1);
      made.append("text").attr("y", LANE - 5).attr("x", 3);
      return made.on("mouseenter", ({span}) => this.tell(span)).on("click", ({span}) => {
        if (span.function >= 0) this.view.set({row: String(span.function)});
      });
    }).attr("transform", (one) => "translate(" + left(one) + " " + (one.lane.y + one.span.level * LANE) + ")")
      .attr("class", ({span}) => span.function >= 0 && String(span.function) === this.row ? "chosen" : null);
    groups.select("rect").attr("width", wide).style("fill", ({span}) => this.colorOf(span));
    groups.select("text").text((one) => wide(one) > 26 ? fitted(visible(one.span.text.slice(0, 300)), wide(one) - 6, measure) : "");
  }

  tell(span) {
    replaceContents(this.readout, named(shortened(span.text, 1000), {class: "who"}), " " + span.kind + ", " + formatSeconds(span.end - span.start) +
      " from " + formatSeconds(span.start) + (span.stage ? ", stage " + visible(span.stage) : "") + (span.hasFailed ? ", failed" : "") + (span.isOpen ? ", had not ended" : ""));
  }

  onKey(event) {
    const {key} = event, step = this.width / 10 / d3.zoomTransform(this.field.node()).k;
    if (key === "+" || key === "-") this.field.call(this.zoom.scaleBy, key === "+" ? 2 : 0.5);
    else if (key === "ArrowLeft" || key === "ArrowRight") this.field.call(this.zoom.translateBy, key === "ArrowLeft" ? step : -step, 0);
    else if (key === "0") this.field.call(this.zoom.transform, d3.zoomIdentity);
    else return;
    event.preventDefault();
  }
}
