"""A reader of pprof's profiles of its own: protobuf's wire format, and the fields as the published schema numbers them."""

import gzip


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at


def _fields(data):
    """[(number, value)] of a message: integers, and bytes for what has a length."""
    at, fields = 0, []
    while at < len(data):
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = _varint(data, at)
        elif kind == 2:
            size, at = _varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {kind}")
        fields.append((number, value))
    return fields


def _signed(value):
    return value - (1 << 64) if value >> 63 else value


def _numbers(fields, wanted):
    """A repeated integer, packed or not."""
    numbers = []
    for number, value in fields:
        if number == wanted and isinstance(value, bytes):
            at = 0
            while at < len(value):
                one, at = _varint(value, at)
                numbers.append(_signed(one))
        elif number == wanted:
            numbers.append(_signed(value))
    return numbers


def read(path):
    """{samples: [(functions, outermost first), values, {label: text or number}], comments, types, duration: nanoseconds}"""
    with gzip.open(path) as file:
        profile = _fields(file.read())
    strings = [value.decode() for number, value in profile if number == 6]
    functions = {dict(f)[1]: strings[dict(f)[2]] for f in (_fields(value) for number, value in profile if number == 5)}
    locations = {}
    for number, value in profile:
        if number == 4:
            fields = _fields(value)
            locations[dict(fields)[1]] = [functions[dict(_fields(line))[1]] for one, line in fields if one == 4]
    samples = []
    for number, value in profile:
        if number != 2:
            continue
        fields, labels = _fields(value), {}
        for label in (dict(_fields(label)) for one, label in fields if one == 3):
            key = strings[label[1]]
            assert key not in labels, key
            labels[key] = strings[label[2]] if 2 in label else _signed(label.get(3, 0))
            assert 2 in label or strings[label[4]] == "count", label
        stack = [name for location in reversed(_numbers(fields, 1)) for name in reversed(locations[location])]
        samples.append((tuple(stack), _numbers(fields, 2), labels))
    types = [tuple(strings[dict(_fields(value))[part]] for part in (1, 2)) for number, value in profile if number == 1]
    return {"samples": samples, "comments": [strings[one] for one in _numbers(profile, 13)], "types": types,
            "duration": dict(profile)[10]}
