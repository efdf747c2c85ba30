// What ran, and what is known of how sure its figures are.
import {element, named} from "./dom.js";
import {formatCount, formatSeconds} from "./format.js";
import {namesOfBy} from "./model.js";

function facts(pairs) {
  return element("dl", {}, ...pairs.flatMap(([term, value]) =>
    [element("dt", {}, term), element("dd", {}, typeof value === "string" ? named(value) : value)]));
}

function recordingFacts(recording) {
  const {timed_one_in: oneIn, slowdown} = recording;
  return facts([
    ["recording", recording.file],
    ["process", recording.program + " (" + recording.pid + ")" + (recording.rank === null ? "" : ", rank " + recording.rank)],
    ["clock", recording.clock],
    ["times", recording.times + (oneIn ? ": of the shortest calls one in " + formatCount(oneIn) + " was timed" : "")],
    ...(slowdown ? [["slower by recording", slowdown.toFixed(2) + " times, as estimated"]] : []),
  ]);
}

// Groupings that there was no room for, and where they are.
function missingNotes({missing, most_rows: most}) {
  return missing.map(({by, rows}) => "Rows by " + namesOfBy(by) + " are not in this page: there are " + formatCount(rows) + ", and it holds " +
    formatCount(most) + " of all kinds. callsig report --by " + namesOfBy(by) + " has them.");
}

function pictureNotes({pictures_missing: isMissing}) {
  return isMissing ? ["Pictures of stages and queues are missing: a recording was no longer where it was read when this page was made."] : [];
}

function lawNotes({without_laws: count}) {
  return count ? ["Laws of " + formatCount(count) + (count === 1 ? " function" : " functions") + " were not looked for, as they would have taken too long: " +
    "those that take the most time go first. callsig scaling looks for all."] : [];
}

function foldedNotes(profile) {
  return [...profile.groupings.values()].filter(({folded}) => folded.size > 0).map(({folded, by}) =>
    "By " + namesOfBy(by) + " " + formatCount([...folded.values()].reduce((sum, rows) => sum + rows, 0)) +
    " rows, the last in the order that was asked for, are folded into " + formatCount(folded.size) +
    ", one of each function: calls and own times are summed, times with callees are not known.");
}

function treeNotes(profile) {
  return profile.page.trees.filter(({leftOut}) => leftOut.size > 0).map(({leftOut, isBySignature}) =>
    "Of the tree by " + (isBySignature ? "signature " : "function ") +
    formatCount([...leftOut.values()].reduce((sum, nodes) => sum + nodes, 0)) + " of the smallest nodes are summed up.");
}

export class AboutView {
  constructor(profile) {
    const {head, about} = profile, notes = [...head.notes, ...missingNotes(about), ...pictureNotes(about), ...lawNotes(about), ...foldedNotes(profile), ...treeNotes(profile)];
    this.node = element("section", {class: "view prose", tabindex: "0", "aria-label": "about"},
      element("h2", {}, "What ran"),
      facts([["calls", formatCount(head.total_calls)], ["primitive calls", formatCount(head.primitive_calls)],
        ["time in them", formatSeconds(head.total_time)],
        ...(head.total_compensation === undefined ? [] : [["taken off for recording", formatSeconds(head.total_compensation) +
          ", what is left may be off by " + formatSeconds(head.total_uncertainty)]])]),
      ...head.recordings.map(recordingFacts),
      element("h2", {}, "What to know about the figures"),
      notes.length > 0 ? element("ul", {}, ...notes.map((note) => element("li", {}, named(note)))) : element("p", {}, "Nothing was widened, lost or estimated."),
      element("h2", {}, "Keys"),
      element("p", {}, "1 to 9 choose a view, / goes to the filter. In the table arrow keys choose a row and Enter shows who calls it; in the" +
        " icicle arrow keys move, Enter zooms, Escape goes up, 0 shows all. The address in the browser keeps what is shown."));
  }

  show() {}
}
