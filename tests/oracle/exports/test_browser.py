#!/usr/bin/env python3
# ctest: skips
# ctest: case - full --build @PROJECT_BINARY_DIR@ --print-calls $<TARGET_FILE:print_calls>
"""A flame graph in Chromium: it is drawn in the colours that it names, a click zooms, a search marks.

    test_browser.py --build FOLDER --print-calls PROGRAM
"""

import argparse
import colorsys
import math
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "real")]

import model  # noqa: E402
import readers  # noqa: E402
from product import Product  # noqa: E402

SKIPPED = 77
SVG = readers.SVG
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def pixels(path):
    """The rows of an 8-bit PNG, each a list of (red, green, blue)."""
    data = path.read_bytes()
    at, body = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
        elif kind == b"IDAT":
            body += data[at + 8:at + 8 + size]
        at += size + 12
    channels = {2: 3, 6: 4}[colour]
    assert depth == 8
    raw, stride, rows, before = zlib.decompress(body), width * channels, [], bytes(width * channels)
    for number in range(height):
        kind, line = raw[number * (stride + 1)], bytearray(raw[number * (stride + 1) + 1:(number + 1) * (stride + 1)])
        for i in range(stride):
            left, up = line[i - channels] if i >= channels else 0, before[i]
            corner = before[i - channels] if i >= channels else 0
            paeth = min((abs(up - corner), 0, left), (abs(left - corner), 1, up), (abs(left + up - 2 * corner), 2, corner))[2]
            line[i] = (line[i] + (0, left, up, (left + up) // 2, paeth)[kind]) & 255
        rows.append([tuple(line[x:x + 3]) for x in range(0, stride, channels)])
        before = bytes(line)
    return rows


class Browser:
    def __init__(self, program, folder):
        self.program, self.folder = program, Path(folder)

    def run(self, *options):
        # A browser started by root has no sandbox to start in.
        command = [self.program, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.folder / 'user'}", *map(str, options)]
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120, check=True).stdout.decode()

    def after(self, graph, script):
        """The document after a script ran in it."""
        page = self.folder / "page.svg"
        page.write_text(graph.replace("</svg>", f"<script>window.addEventListener('load', () => {{ {script} }});</script></svg>"))
        text = self.run("--dump-dom", page.as_uri())
        return xml.etree.ElementTree.fromstring(text[text.index("<svg"):text.rindex("</svg>") + 6])

    def draw(self, path, height):
        image = self.folder / "drawn.png"
        self.run(f"--screenshot={image}", f"--window-size=1200,{height}", "--force-device-scale-factor=1", path.as_uri())
        return pixels(image)


def shown(root):
    """[(name, start, weight, depth, x, width)] of the frames that are not hidden."""
    frames = []
    for group in root.iter(SVG + "g"):
        if group.get("class") == "f" and "none" not in (group.get("style") or ""):
            rect = group.find(SVG + "rect")
            frames.append((group.find(SVG + "title").text.split("\n")[0], int(group.get("data-x")), int(group.get("data-w")),
                           int(group.get("data-d")), float(rect.get("x")), float(rect.get("width"))))
    return frames


def check_colours(browser, path):
    root = xml.etree.ElementTree.parse(path).getroot()
    drawn, checked = browser.draw(path, root.get("height")), 0
    for group in root.iter(SVG + "g"):
        rect = group.find(SVG + "rect")
        if group.get("class") != "f" or float(rect.get("width")) < 8:
            continue
        hue, saturation, light = map(int, re.match(r"hsl\((\d+),(\d+)%,(\d+)%\)", rect.get("fill")).groups())
        wanted = [round(255 * part) for part in colorsys.hls_to_rgb(hue / 360, light / 100, saturation / 100)]
        found = drawn[int(rect.get("y")) + 7][math.ceil(float(rect.get("x"))) + 1]  # before the text begins
        assert all(abs(one - other) <= 2 for one, other in zip(wanted, found)), (group.find(SVG + "title").text, wanted, found)
        checked += 1
    return checked


def check_zoom(browser, graph, frames, index):
    target = frames[index]
    after = shown(browser.after(graph, f"document.documentElement.callsig.zoom({index})"))
    inside = [frame for frame in frames if frame[3] >= target[3] and target[1] <= frame[1] and frame[1] + frame[2] <= target[1] + target[2]]
    above = [frame for frame in frames if frame[3] < target[3] and frame[1] <= target[1] and frame[1] + frame[2] >= target[1] + target[2]]
    assert {frame[:4] for frame in after} == {frame[:4] for frame in inside + above}, "the wrong frames are shown"
    for frame in after:
        scale = 1180 / target[2]
        x, width = (10, 1180) if frame[3] < target[3] else (10 + (frame[1] - target[1]) * scale, frame[2] * scale)
        assert abs(frame[4] - x) < 0.01 and abs(frame[5] - width) < 0.01, (frame, x, width)


def check_search(browser, graph, frames):
    root = browser.after(graph, "document.documentElement.callsig.search('^init')")
    marked = sorted(group.find(SVG + "title").text.split("\n")[0] for group in root.iter(SVG + "g")
                    if group.get("class") == "f" and "m" in (group.find(SVG + "rect").get("class") or "").split())
    assert marked == sorted(frame[0] for frame in frames if frame[0].startswith("init")), marked
    covered, end = 0, 0
    for name, start, weight, *_ in frames:
        if name.startswith("init") and start >= end:
            covered, end = covered + weight, start + weight
    said = next(text.text for text in root.iter(SVG + "text") if text.get("id") == "matched")
    assert said == f"matched: {100 * covered / frames[0][2]:.1f} %", said
    root = browser.after(graph, "document.documentElement.callsig.search('(')")
    assert "no regular expression: (" in xml.etree.ElementTree.tostring(root, encoding="unicode")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder of callsig")
    parser.add_argument("--print-calls", required=True, help="the built print_calls")
    options = parser.parse_args()
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if not program:
        print("skipped: chromium is not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        product, browser, recording, path = Product(options.build, folder), Browser(program, folder), Path(folder) / "recording", Path(folder) / "flame.svg"
        model.Profile(4).write(Path(folder) / "sequence")
        subprocess.run([options.print_calls, Path(folder) / "sequence", recording, "stats"], stdout=subprocess.DEVNULL, check=True)
        product.call("export", "--to", "flamegraph", "--cutoff", "0", "-o", path, recording)
        frames, _ = readers.flamegraph(path)
        checked = check_colours(browser, path)
        for index in (0, 1, len(frames) // 2, len(frames) - 1):
            check_zoom(browser, path.read_text(), frames, index)
        check_search(browser, path.read_text(), frames)
    print(f"{len(frames)} frames: {checked} have their colour, zoom and search do what they say")
    return 0


if __name__ == "__main__":
    sys.exit(main())
