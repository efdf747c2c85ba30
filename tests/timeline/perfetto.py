"""Perfetto's trace, read from its bytes by the field numbers of Perfetto's published schema (protos/perfetto/trace): knows
nothing of what wrote it."""

import struct


def fields(data):
    """[(number, value)] of a message: integers, or bytes."""
    found, at = [], 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        number, kind = key >> 3, key & 7
        if kind == 0:
            value = varint()
        elif kind == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif kind == 2:
            size = varint()
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError("cut off")
        else:
            raise ValueError(f"wire type {kind}")
        found.append((number, value))
    return found


def one(message, number, default=None):
    values = [value for key, value in message if key == number]
    return values[-1] if values else default


def read(path):
    """(tracks, events): tracks {uuid: (kind, name, parent)}, events in file order: dictionaries."""
    tracks, events = {}, []
    with open(path, "rb") as file:
        whole = fields(file.read())
    for number, packet in whole:
        assert number == 1, "only packets"
        packet = fields(packet)
        track, event = one(packet, 60), one(packet, 11)
        if track is not None:
            track = fields(track)
            process, thread, counter = (one(track, key) for key in (3, 4, 8))
            kind = "process" if process is not None else "thread" if thread is not None else "counter" if counter is not None else "plain"
            name = one(fields(process), 6) if process is not None else one(fields(thread), 5) if thread is not None else one(track, 2)
            tracks[one(track, 1)] = (kind, name.decode(), one(track, 5))
        if event is not None:
            event = fields(event)
            notes = {}
            for key, note in event:
                if key == 4:
                    note = fields(note)
                    text = one(note, 6)
                    notes[one(note, 10).decode()] = (text.decode() if text is not None else one(note, 3, one(note, 2)))
            events.append({"time": one(packet, 8), "type": one(event, 9), "track": one(event, 11),
                           "name": (one(event, 23) or b"").decode(), "category": (one(event, 22) or b"").decode(),
                           "value": one(event, 30), "flows": [v for k, v in event if k == 47],
                           "ends": [v for k, v in event if k == 48], "notes": notes})
    return tracks, events


def slices(tracks, events):
    """[(track, name, category, notes, begin, end, depth)], every slice closed, inner ones inside outer ones."""
    open_slices, found = {}, []
    order = {id(event): number for number, event in enumerate(events)}
    for event in sorted(events, key=lambda event: (event["time"], order[id(event)])):
        assert event["track"] in tracks, "an event on a track that was not described"
        stack = open_slices.setdefault(event["track"], [])
        if event["type"] == 1:
            stack.append(event)
        elif event["type"] == 2:
            begin = stack.pop()
            found.append((event["track"], begin["name"], begin["category"], begin["notes"], begin["time"], event["time"], len(stack)))
    assert not any(open_slices.values()), "a slice that does not end"
    return found
