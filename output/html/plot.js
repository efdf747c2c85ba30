// What pictures of pipelines do in a browser: pointing at a chart reads out its figures, and zooming one zooms all charts of its
// picture. The lines are drawn already; d3 has the scales, the axis and the gestures.
import {formatSeconds, formatValue} from "./format.js";

// The number of the point that a time lies in: the last that begins before it, if it has not ended. -1: none.
export function pointAt(series, time) {
  let low = 0, high = series.from.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (series.from[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low > 0 && time <= series.until[low - 1] ? low - 1 : -1;
}

// "p90 1.2 ms" of each line that knows its value then.
export function describe(lines, unit, time) {
  return lines.flatMap(({name, series, measure}) => {
    const at = pointAt(series, time);
    return at < 0 ? [] : [name + " " + formatValue(series[measure][at], unit)];
  }).join(", ");
}

export function happening(events, time) {
  const now = events.filter((event) => event.from <= time && time <= event.until);
  const named = now.slice(0, 4).map((event) => event.name + (event.count > 1 ? " (" + event.count + " times)" : ""));
  return named.join(", ") + (now.length > 4 ? " and " + (now.length - 4) + " more" : "");
}

function seriesOf(picture, chart, source) {
  const list = source === "over_time" ? picture.recording.over_time.series : picture.intervals.series;
  return list.find((series) => series.label === chart.dataset.label && series.kind === chart.dataset.kind);
}

function makeChart(node, picture) {
  const lines = Array.from(node.querySelectorAll("path.line"), (path) => ({
    name: path.dataset.name,
    measure: path.dataset.measure,
    series: seriesOf(picture, node, path.dataset.source),
  }));
  const field = node.querySelector("svg.lines");
  const box = {x: Number(field.getAttribute("x")), y: Number(field.getAttribute("y")),
    width: Number(field.getAttribute("width")), height: Number(field.getAttribute("height"))};
  const cross = d3.select(field).append("line").attr("class", "cross").attr("y1", 0).attr("y2", box.height).attr("display", "none");
  return {node, lines, box, cross, unit: node.dataset.unit, moved: node.querySelector("g.moved"),
    times: node.querySelector("g.times"), title: node.getAttribute("aria-label")};
}

// Makes the charts of a picture answer; `pictures` is what they were drawn from.
export function startPicture(article, pictures) {
  const picture = pictures[Number(article.dataset.picture)];
  const start = Number(article.dataset.start), end = Number(article.dataset.end);
  const charts = Array.from(article.querySelectorAll("svg.chart"), (node) => makeChart(node, picture));
  const events = picture.intervals ? picture.intervals.events : [];
  const readout = article.querySelector(".readout");
  if (charts.length === 0 || end <= start) return;
  const {box} = charts[0];
  const whole = d3.scaleLinear().domain([0, end - start]).range([0, box.width]);
  let shown = whole, transform = d3.zoomIdentity, time = null;

  function readOut(chart) {
    const inside = time !== null && shown(time - start) >= 0 && shown(time - start) <= box.width;
    for (const {cross} of charts)
      cross.attr("display", inside ? null : "none").attr("x1", inside ? shown(time - start) : 0).attr("x2", inside ? shown(time - start) : 0);
    if (!inside || !chart) return;
    const figures = describe(chart.lines, chart.unit, time), event = happening(events, time);
    readout.textContent = chart.title + ", " + formatSeconds(time - start) + ": " + (figures || "nothing is known") +
      (event ? "; " + event : "");
  }

  function show() {
    shown = transform.rescaleX(whole);
    const ticks = shown.ticks(4);
    for (const {moved, times, node} of charts) {
      moved.setAttribute("transform", "translate(" + transform.x + " 0) scale(" + transform.k + " 1)");
      d3.select(times).selectAll("text").data(ticks).join("text").attr("class", "tick middle")
        .attr("x", (tick) => box.x + shown(tick)).attr("y", box.y + box.height + 14)
        .text((tick) => tick === 0 ? "0 s" : formatSeconds(tick));
      if (node.__zoom !== transform) node.__zoom = transform;
    }
  }

  const zoom = d3.zoom().scaleExtent([1, 1000]).translateExtent([[0, 0], [box.width, box.height]])
    .extent([[0, 0], [box.width, box.height]]).on("zoom", function () {
      transform = d3.event.transform;
      show();
    });

  function timeAt(chart, position) {
    const seconds = shown.invert(Math.min(Math.max(position - box.x, 0), box.width));
    return start + Math.min(Math.max(seconds, 0), end - start);
  }

  function onKey(chart, event) {
    const step = (shown.invert(box.width) - shown.invert(0)) / 50;
    const middle = time === null ? shown.invert(box.width / 2) : time - start;
    const selection = d3.select(chart.node);
    if (event.key === "ArrowLeft") time = start + Math.max(0, middle - step);
    else if (event.key === "ArrowRight") time = start + Math.min(end - start, middle + step);
    else if (event.key === "+") selection.call(zoom.scaleBy, 2, [shown(middle), 0]);
    else if (event.key === "-") selection.call(zoom.scaleBy, 0.5, [shown(middle), 0]);
    else if (event.key === "0") selection.call(zoom.transform, d3.zoomIdentity);
    else return;
    event.preventDefault();
    readOut(chart);
  }

  for (const chart of charts) {
    d3.select(chart.node).attr("tabindex", 0).call(zoom).on("dblclick.zoom", function () {
      d3.select(chart.node).call(zoom.transform, d3.zoomIdentity);
    }).on("mousemove.read", function () {
      time = timeAt(chart, d3.mouse(chart.node)[0]);
      readOut(chart);
    }).on("mouseleave.read", function () {
      time = null;
      readOut(null);
    }).on("keydown.read", function () {
      onKey(chart, d3.event);
    });
  }
}
