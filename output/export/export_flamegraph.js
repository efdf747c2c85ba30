// What a flame graph of callsig does in a browser: a click on a frame makes it as wide as the page, a search marks frames.
// A frame is <g class="f" data-x data-w data-d>: where it starts, how much it weighs, how deep it is; its title's first
// line is its name.
"use strict";
(function () {
  var svg = document.documentElement;
  var left = 10, width = 1180, letter = 7.2;
  var frames = [], details, matched, reset;

  function weight(group, name) {
    return Number(group.getAttribute("data-" + name));
  }

  function nameOf(frame) {
    return frame.title.split("\n")[0];
  }

  // The name, as much of it as has room.
  function fit(name, pixels) {
    var letters = Array.from(name), room = Math.floor((pixels - 4) / letter);
    if (room < 3) return "";
    return letters.length <= room ? name : letters.slice(0, room - 2).join("") + "..";
  }

  function place(frame, x, w) {
    frame.rect.setAttribute("x", x.toFixed(2));
    frame.rect.setAttribute("width", Math.max(w, 0).toFixed(2));
    frame.text.setAttribute("x", (x + 3).toFixed(2));
    frame.text.textContent = fit(nameOf(frame), w);
  }

  function zoom(target) {
    var scale = target.w > 0 ? width / target.w : 0;
    frames.forEach(function (frame) {
      var above = frame.d < target.d && frame.x <= target.x && frame.x + frame.w >= target.x + target.w;
      var inside = frame.d >= target.d && frame.x >= target.x && frame.x + frame.w <= target.x + target.w;
      frame.group.style.display = above || inside ? "" : "none";
      frame.group.style.opacity = above ? "0.5" : "";
      if (above) place(frame, left, width);
      else if (inside) place(frame, left + (frame.x - target.x) * scale, frame.w * scale);
    });
    reset.style.display = target === frames[0] ? "none" : "";
  }

  // Marks the frames whose names match, and says what part of the whole lies in any of them.
  function search(text) {
    var pattern = null, end = 0, sum = 0;
    if (text) {
      try {
        pattern = new RegExp(text);
      } catch (error) {
        matched.textContent = "no regular expression: " + text;
        return;
      }
    }
    frames.forEach(function (frame) {
      var found = pattern !== null && pattern.test(nameOf(frame));
      frame.rect.classList.toggle("m", found);
      if (found && frame.x >= end) {
        sum += frame.w;
        end = frame.x + frame.w;
      }
    });
    var all = frames[0].w;
    matched.textContent = pattern ? "matched: " + (all > 0 ? (100 * sum) / all : 0).toFixed(1) + " %" : "";
  }

  function ask() {
    var text = window.prompt("a regular expression for names of frames", "");
    if (text !== null) search(text);
  }

  function begin() {
    details = document.getElementById("details");
    matched = document.getElementById("matched");
    reset = document.getElementById("reset");
    Array.prototype.forEach.call(document.querySelectorAll("g.f"), function (group) {
      var frame = {
        group: group,
        rect: group.querySelector("rect"),
        text: group.querySelector("text"),
        title: group.querySelector("title").textContent,
        x: weight(group, "x"),
        w: weight(group, "w"),
        d: weight(group, "d")
      };
      frames.push(frame);
      group.addEventListener("click", function () { zoom(frame); });
      group.addEventListener("mouseover", function () { details.textContent = frame.title.split("\n").join("   "); });
      group.addEventListener("mouseout", function () { details.textContent = ""; });
    });
    reset.addEventListener("click", function () { zoom(frames[0]); });
    document.getElementById("search").addEventListener("click", ask);
    window.addEventListener("keydown", function (event) {
      if (event.key === "F3" || ((event.ctrlKey || event.metaKey) && event.key === "f")) {
        event.preventDefault();
        ask();
      }
    });
    svg.callsig = { zoom: function (index) { zoom(frames[index]); }, search: search };
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
