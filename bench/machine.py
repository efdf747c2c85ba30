"""What the figures were measured on."""

import os
import platform
import subprocess

# What of the facts tells one machine from another.
IDENTITY = ("cpu", "cpus")


def first_line(command):
    """The first line that a command prints, or None when it cannot be run."""
    try:
        printed = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    except OSError:
        return None
    lines = printed.stdout.strip().splitlines()
    return lines[0].strip() if lines else None


def read_text(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return None


def cpu_model():
    for line in (read_text("/proc/cpuinfo") or "").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def distribution():
    for line in (read_text("/etc/os-release") or "").splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.split("=", 1)[1].strip('"')
    return "unknown"


def describe():
    """An ordered dict of what matters to the figures; a tool that is not there has None."""
    virtual = first_line(["systemd-detect-virt"])
    return {
        "cpu": cpu_model(),
        "cpus": os.cpu_count(),
        "virtualisation": None if virtual in (None, "none") else virtual,
        "system": distribution(),
        "kernel": platform.release(),
        "clock source": read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "gcc": first_line(["gcc", "--version"]),
        "clang": first_line(["clang", "--version"]),
        "uftrace": first_line(["uftrace", "--version"]),
        "lttng": first_line(["lttng", "--version"]),
        "gprof": first_line(["gprof", "--version"]),
        "valgrind": first_line(["valgrind", "--version"]),
    }
