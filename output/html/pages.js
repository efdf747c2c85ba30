// What the two kinds of pages are made of: that of recordings, and that of a comparison.
import {AboutView} from "./about.js";
import {CallersView} from "./callers.js";
import {ChangePaint, ChangesAbout, changesOf, notJudged, totalText} from "./changes.js";
import {formatCount, formatSeconds} from "./format.js";
import {IcicleView} from "./icicle.js";
import {SignaturePlotView} from "./signature_plot.js";
import {StagesView} from "./stages.js";
import {SunburstView} from "./sunburst.js";
import {TableView} from "./table.js";
import {TimelineView} from "./timeline.js";

function existing(views) {
  return new Map(Object.entries(views).filter(([, view]) => view !== null));
}

function makeStages() {
  const pictures = document.getElementById("pictures");
  return pictures ? new StagesView(pictures, JSON.parse(document.getElementById("pictures-data").textContent).pictures) : null;
}

// Of recordings: {title, totals, sort, views}.
function recordingPage(profile, view) {
  const {head, page} = profile;
  return {
    title: head.program,
    totals: formatCount(head.total_calls) + " calls, " + formatSeconds(head.total_time) +
      (head.recordings.length > 1 ? " in " + head.recordings.length + " processes" : ""),
    sort: "cumtime",
    views: existing({
      table: new TableView(profile, view), icicle: new IcicleView(profile, view), sunburst: new SunburstView(profile, view),
      callers: new CallersView(profile, view), arguments: profile.groupings.has(3) ? new SignaturePlotView(profile, view) : null,
      stages: makeStages(), timeline: page.timeline ? new TimelineView(profile, view) : null, about: new AboutView(profile),
    }),
  };
}

function comparisonPage(profile, view) {
  const {page} = profile, paint = new ChangePaint(profile);
  const programs = [false, true].map((isNew) => page.sides.find((side) => side.isNew === isNew)?.program ?? "");
  return {
    title: programs[0] === programs[1] ? "What changed in " + programs[0] : "What changed from " + programs[0] + " to " + programs[1],
    totals: totalText(page.diff),
    note: page.diff.test === null ? notJudged(page.diff) : null,
    sort: "changeSize",
    views: existing({table: new TableView(profile, view, changesOf(profile)), icicle: new IcicleView(profile, view, paint),
      sunburst: new SunburstView(profile, view, paint), about: new ChangesAbout(profile)}),
  };
}

export function makePage(profile, view) {
  return profile.page.diff ? comparisonPage(profile, view) : recordingPage(profile, view);
}
