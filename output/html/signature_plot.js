// How the time of one function goes with its arguments: a point for each signature, and the law that scaling found.
import {element, named, replaceContents} from "./dom.js";
import {formatCount, formatSeconds, formatShare, shortened, visible} from "./format.js";
import {argumentsOf, lawsOf, numbersOf, timeByLaw} from "./laws.js";

const WIDTH = 420, HEIGHT = 280, LEFT = 62, RIGHT = 14, TOP = 12, BOTTOM = 44;

// The points of a function, by signatures that have calls.
export function pointsOf(profile, grouping, one) {
  const points = [];
  for (let row = 0; row < grouping.listed; row++) {
    if (grouping.function[row] !== one.number || grouping.signature[row] < 0) continue;
    const signature = profile.signatures[grouping.signature[row]];
    if (!signature.values || !(grouping.cumtime[row] > 0) || !(grouping.pcalls[row] > 0)) continue;
    points.push({row, signature, numbers: numbersOf(signature), time: grouping.cumtime[row] / grouping.pcalls[row], calls: grouping.ncalls[row]});
  }
  return points;
}

// The names of arguments with more than one number, in the order of the parameters.
export function variedArguments(points) {
  const names = new Map();
  for (const {numbers} of points)
    for (const [name, number] of numbers) names.set(name, (names.get(name) || new Set()).add(number));
  return [...names].filter(([, values]) => values.size > 1).map(([name]) => name);
}

// Why a function with so many points has no plot. A signature whose calls took no time that was measured is no point.
export function nothingVaries(points) {
  if (points === 0) return "No signature of it has arguments that were read, and a time.";
  return "None of its arguments is a number that varies" + (points === 1 ? ": one signature of it has a time." : " among its " + formatCount(points) + " signatures with a time.");
}

// An axis of powers of ten where all is above 0; else one that passes through 0.
function scaleOf(values, range) {
  const [low, high] = d3.extent(values);
  const scale = low > 0 ? d3.scaleLog() : d3.scaleSymlog();
  return scale.domain(low === high ? [low * 0.9, high * 1.1 || 1] : [low, high]).range(range).nice();
}

// Powers of ten, and 0 where an axis passes through it.
function fewTicks(scale) {
  const [low, high] = scale.domain();
  if (low <= 0) return [0, ...d3.range(0, 20).flatMap((power) => [10 ** power, -(10 ** power)])].filter((tick) => tick >= low && tick <= high);
  const ticks = scale.ticks(5);
  return ticks.length <= 8 ? ticks : ticks.filter((tick) => tick === 0 || Number.isInteger(Number(Math.log10(Math.abs(tick)).toFixed(9))));
}

export class SignaturePlotView {
  constructor(profile, view) {
    this.profile = profile;
    this.view = view;
    this.readout = element("p", {class: "readout", role: "status", "aria-live": "polite", tabindex: "0"});
    this.head = element("div", {});
    this.plots = element("div", {class: "plots"});
    this.node = element("section", {class: "view prose wide", tabindex: "0", "aria-label": "time by arguments"}, this.head, this.readout, this.plots);
  }

  show(state) {
    const {profile} = this, grouping = profile.groupings.get(3), identity = profile.identityOf(state.row);
    this.readout.textContent = "";
    if (!grouping) return this.tell("This page has no signatures: it was made by function.");
    this.points = [];
    profile.readValues();
    const one = identity ? identity.function : this.mostVaried(grouping);
    if (!one) return this.tell("None of the functions with the most signatures has a numeric argument that varies: choose one in the table.");
    this.points = pointsOf(profile, grouping, one);
    const names = variedArguments(this.points);
    this.showHead(one, names);
    this.chosen = identity && identity.signature;
    const law = lawsOf(profile.page.laws, one).find(({where, verdict}) => where === null && verdict === "law") || null;
    return replaceContents(this.plots, ...names.map((name) => this.plot(name, law)));
  }

  tell(text) {
    replaceContents(this.head, element("p", {}, text));
    replaceContents(this.plots);
  }

  // The function with the most time among those with a law; else among all with signatures.
  mostVaried(grouping) {
    const laws = this.profile.page.laws?.functions.filter(({verdict}) => verdict === "law") || [];
    const byTime = (a, b) => b.cumtime - a.cumtime;
    const [law] = laws.filter(({cumtime}) => cumtime !== null).sort(byTime);
    const found = law && this.profile.functions.find(({file, line, name}) => file === law.file && line === law.line && name === law.function);
    if (found) return found;
    return this.mostSignatures(grouping).find((one) => variedArguments(pointsOf(this.profile, grouping, one)).length > 0) || null;
  }

  // The functions with the most signatures, of which one with a number that varies is looked for.
  mostSignatures(grouping) {
    const counts = new Uint32Array(this.profile.functions.length);
    for (let row = 0; row < grouping.listed; row++) if (grouping.signature[row] >= 0) counts[grouping.function[row]]++;
    return [...this.profile.functions].sort((a, b) => counts[b.number] - counts[a.number]).slice(0, 20);
  }

  showHead(one, names) {
    const findings = lawsOf(this.profile.page.laws, one);
    const told = findings.map((finding) => element("div", {}, finding.where ? element("span", {class: "where"}, named(finding.where), ": ") : "",
      finding.law ? element("strong", {}, named("time per call ~ " + finding.law)) : finding.verdict,
      finding.law && finding.error !== null ? ", off by " + formatShare(finding.error) + " in the mean, " + formatCount(finding.points) + " signatures" : "",
      finding.reason ? element("span", {}, ": ", named(finding.reason)) : "",
      ...finding.warnings.map((warning) => element("p", {class: "where"}, named(warning)))));
    replaceContents(this.head, element("h2", {}, named(one.name, {class: "who"}), " ", named(one.isAction ? "" : one.file + ":" + one.line, {class: "where"})),
      ...told, names.length === 0 ? element("p", {}, nothingVaries(this.points.length)) : null);
  }

  plot(name, law) {
    const points = this.points.filter(({numbers}) => numbers.has(name));
    const svg = d3.create("svg").attr("viewBox", [0, 0, WIDTH, HEIGHT]).attr("class", "plot").attr("role", "img")
      .attr("aria-label", "time per call with callees by " + visible(name) + ", " + points.length + " signatures");
    const byLaw = law ? points.map(({numbers}) => timeByLaw(law, numbers)).filter((time) => time > 0) : [];
    const x = scaleOf(points.map(({numbers}) => numbers.get(name)), [LEFT, WIDTH - RIGHT]);
    const y = scaleOf([...points.map(({time}) => time), ...byLaw], [HEIGHT - BOTTOM, TOP]);
    svg.append("g").attr("class", "axis").attr("transform", "translate(0 " + (HEIGHT - BOTTOM) + ")")
      .call(d3.axisBottom(x).tickValues(fewTicks(x)).tickFormat(d3.format("~s")));
    svg.append("g").attr("class", "axis").attr("transform", "translate(" + LEFT + " 0)").call(d3.axisLeft(y).tickValues(fewTicks(y)).tickFormat(formatSeconds));
    svg.append("text").attr("class", "title").attr("x", (LEFT + WIDTH) / 2).attr("y", HEIGHT - 8).attr("text-anchor", "middle").text(shortened(visible(name), 60));
    this.drawLaw(svg, name, law, points, x, y);
    this.drawPoints(svg, name, points, x, y);
    return element("figure", {}, svg.node());
  }

  drawPoints(svg, name, points, x, y) {
    const size = d3.scaleSqrt().domain([1, d3.max(points, ({calls}) => calls) || 1]).range([2.5, 8]);
    svg.append("g").selectAll("circle").data(points).join("circle").attr("cx", ({numbers}) => x(numbers.get(name))).attr("cy", ({time}) => y(time))
      .attr("r", ({calls}) => size(calls)).attr("class", ({signature}) => signature === this.chosen ? "point chosen" : "point")
      .on("mouseenter", (point) => this.read(point))
      .on("click", ({row}) => this.view.set({row: this.profile.keyOf(this.profile.groupings.get(3), row)}));
  }

  // A law of this argument alone is a line; of others too, it has a value for each signature.
  drawLaw(svg, name, law, points, x, y) {
    if (!law) return;
    const names = argumentsOf(law), [low, high] = x.domain();
    if (names.length === 1 && names[0] === name) {
      const steps = d3.range(0, 101).map((step) => x.invert(LEFT + (WIDTH - RIGHT - LEFT) * step / 100)).filter((at) => at >= low && at <= high);
      const line = d3.line().x(([at]) => x(at)).y(([, time]) => y(time));
      const drawn = steps.map((at) => [at, timeByLaw(law, new Map([[name, at]]))]).filter(([, time]) => time > 0);
      svg.append("path").attr("class", "law").attr("d", line(drawn));
    } else if (names.includes(name)) {
      svg.append("g").selectAll("path").data(points.filter(({numbers}) => timeByLaw(law, numbers) > 0)).join("path").attr("class", "law")
        .attr("d", ({numbers}) => "M" + (x(numbers.get(name)) - 4) + " " + y(timeByLaw(law, numbers)) + "h8");
    }
  }

  read({signature, time, calls}) {
    replaceContents(this.readout, named(shortened(signature.text, 1000), {class: "who"}), " " + formatSeconds(time) + " per call, " + formatCount(calls) + " calls");
  }
}
