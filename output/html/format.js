// Numbers as people read them: times in the unit that fits, shares, counts.

const UNITS = [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]];

// The largest unit in which a time is at least 1, with three digits.
export function formatSeconds(seconds) {
  const unit = UNITS.find(([least]) => Math.abs(seconds) >= least) || UNITS[3];
  return Number((seconds / unit[0]).toPrecision(3)) + " " + unit[1];
}

export function formatShare(share) {
  return (100 * share).toFixed(1) + "%";
}

export function formatValue(value, unit) {
  if (value === null || value === undefined) return "unknown";
  if (unit === "seconds") return value === 0 ? "0 s" : formatSeconds(value);
  if (unit === "share") return formatShare(value);
  return String(Number(value.toPrecision(4)));
}

// Digits in groups of three.
export function formatCount(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, " ");
}

// Calls, which may be a mean.
export function callsText(calls) {
  return Number.isInteger(calls) ? formatCount(calls) : calls.toFixed(1);
}

// What would turn the text around it, or hide, is shown as what it is.
export function visible(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (letter) => "\\u" + letter.charCodeAt(0).toString(16).padStart(4, "0"));
}

// "a.c:1(f) < b.c:2(g)" of places of calls with the folders of their files; the name alone of another file.
export function withoutFolders(text) {
  return text.split(" < ").map((place) => /:\d+\(/.test(place) ? place.replace(/^.*\/(?=[^/(]*:\d+\()/, "") : place.slice(place.lastIndexOf("/") + 1)).join(" < ");
}

// As much of a text as fits into a width, by `measure`, which tells how wide a text is; what is cut is told.
export function fitted(text, room, measure) {
  if (measure(text) <= room) return text;
  const cut = (length) => text.slice(0, length).replace(/[\ud800-\udbff]$/, "") + "…";
  let fits = -1, beyond = text.length;
  while (beyond - fits > 1) {
    const middle = (fits + beyond) >> 1;
    if (measure(cut(middle)) <= room) fits = middle;
    else beyond = middle;
  }
  return fits < 0 ? "" : cut(fits);
}

// At most so many letters; what is cut is told.
export function shortened(text, most) {
  return text.length <= most ? text : text.slice(0, most - 1) + "…";
}
