"""OTLP's profiles by the published schema: checked as it asks for, and converted to pprof's Profile."""

import importlib
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PUBLISHED = HERE / "otlp"
PROFILES = "opentelemetry/proto/profiles/v1development/profiles.proto"
TABLES = ("mapping_table", "location_table", "function_table", "link_table", "attribute_table", "stack_table")


def compile_schemas(folder):
    """The messages of the published schema and of pprof's, as Python's protobuf has them."""
    published = sorted(str(path.relative_to(PUBLISHED)) for path in PUBLISHED.rglob("*.proto"))
    subprocess.run(["protoc", f"--proto_path={PUBLISHED}", f"--python_out={folder}", *published], check=True)
    subprocess.run(["protoc", f"--proto_path={ROOT / 'output' / 'export'}", f"--python_out={folder}", "pprof.proto"], check=True)
    sys.path.insert(0, str(folder))
    return importlib.import_module("opentelemetry.proto.profiles.v1development.profiles_pb2"), importlib.import_module("pprof_pb2")


def decode(path):
    """What protoc prints of the file by the published schema: it fails where a byte does not fit."""
    with open(path, "rb") as file:
        done = subprocess.run(["protoc", f"--proto_path={PUBLISHED}", "--decode=opentelemetry.proto.profiles.v1development.ProfilesData",
                               str(PUBLISHED / PROFILES)], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode or done.stderr:
        raise SystemExit(f"protoc --decode: status {done.returncode}: {done.stderr.decode().strip()}")
    return done.stdout.decode()


def unknown_fields(message, path=""):
    """Fields that the schema does not have: protobuf keeps them apart."""
    found = [f"{path}: field {field.field_number}" for field in message.UnknownFields()]
    for descriptor, value in message.ListFields():
        if descriptor.type != descriptor.TYPE_MESSAGE:
            continue
        for one in value if descriptor.label == descriptor.LABEL_REPEATED else [value]:
            found += unknown_fields(one, f"{path}.{descriptor.name}")
    return found


def unique(table):
    return len({entry if isinstance(entry, str) else entry.SerializeToString(deterministic=True) for entry in table}) == len(table)


def check(data):
    """What the schema's comments demand of a document."""
    assert not unknown_fields(data), unknown_fields(data)[:3]
    tables = data.dictionary
    assert tables.string_table[0] == "" and unique(tables.string_table), "string_table"
    for name in TABLES:
        table = getattr(tables, name)
        if name == "link_table":
            assert bytes(table[0].trace_id) == bytes(16) and bytes(table[0].span_id) == bytes(8)
        else:
            assert table[0] == type(table[0])(), name
        assert unique(table), f"{name} has an entry twice"
    used = {name: {0} for name in TABLES}

    def attributes(indices):
        keys = [tables.attribute_table[index].key_strindex for index in indices]
        assert 0 not in indices and len(set(keys)) == len(keys), "an attribute's key is there twice"
        used["attribute_table"].update(indices)

    for mapping in tables.mapping_table:
        attributes(mapping.attribute_indices)
    for profile in profiles_of(data):
        attributes(profile.attribute_indices)
        identities = set()
        for sample in profile.samples:
            assert len(sample.values) == 1
            identity = (sample.stack_index, tuple(sorted(sample.attribute_indices)))
            assert identity not in identities, "a sample is there twice"
            identities.add(identity)
            attributes(sample.attribute_indices)
            used["stack_table"].add(sample.stack_index)
    for stack in tables.stack_table:
        used["location_table"].update(stack.location_indices)
    for location in tables.location_table:
        used["mapping_table"].add(location.mapping_index)
        used["function_table"].update(line.function_index for line in location.lines)
    for name in ("attribute_table", "stack_table", "function_table", "mapping_table"):
        assert used[name] == set(range(len(getattr(tables, name)))), f"{name} has entries that nothing refers to, or the other way round"
    assert max(used["location_table"]) < len(tables.location_table)


def profiles_of(data):
    assert len(data.resource_profiles) == 1 and len(data.resource_profiles[0].scope_profiles) == 1
    return data.resource_profiles[0].scope_profiles[0].profiles


def pairs(tables, indices):
    """[(key, value, unit)] of attributes; a value that is text is looked up."""
    found = []
    for index in indices:
        attribute = tables.attribute_table[index]
        kind = attribute.value.WhichOneof("value")
        value = getattr(attribute.value, kind)
        if kind == "string_value_strindex":
            value = tables.string_table[value]
        elif kind == "array_value":
            value = [tables.string_table[one.string_value_strindex] for one in value.values]
        found.append((tables.string_table[attribute.key_strindex], value, tables.string_table[attribute.unit_strindex]))
    return found


def to_pprof(data, pprof):
    """The Profile of pprof that the document was made of, by OpenTelemetry's conventions for pprof (the attributes pprof.*)."""
    tables, made = data.dictionary, pprof.Profile()
    made.string_table.extend(tables.string_table)
    number = {text: index for index, text in enumerate(tables.string_table)}

    def string(text):
        if text not in number:
            number[text] = len(made.string_table)
            made.string_table.append(text)
        return number[text]

    scope = {pair.key: pair.value for pair in data.resource_profiles[0].scope_profiles[0].scope.attributes}
    made.default_sample_type = string(scope["pprof.scope.default_sample_type"].string_value)
    places = [value.int_value for value in scope["pprof.scope.sample_type_order"].array_value.values]
    profiles = [profile for _, profile in sorted(zip(places, profiles_of(data)), key=lambda pair: pair[0])]
    for profile in profiles:
        made.sample_type.add(type=profile.sample_type.type_strindex, unit=profile.sample_type.unit_strindex)
    made.duration_nanos = profiles[0].duration_nano
    for key, value, _ in pairs(tables, profiles[0].attribute_indices):
        assert key == "pprof.profile.comment"
        made.comment.extend(map(string, value))
    for index, mapping in enumerate(tables.mapping_table[1:], 1):
        to = made.mapping.add(id=index, filename=mapping.filename_strindex)
        for key, value, _ in pairs(tables, mapping.attribute_indices):
            if key == "process.executable.build_id.gnu":
                assert bytes.fromhex(value)
            else:
                setattr(to, key.removeprefix("pprof.mapping."), value)
    for index, function in enumerate(tables.function_table[1:], 1):
        made.function.add(id=index, name=function.name_strindex, system_name=function.system_name_strindex,
                          filename=function.filename_strindex, start_line=function.start_line)
    for index, location in enumerate(tables.location_table[1:], 1):
        to = made.location.add(id=index, mapping_id=location.mapping_index)
        for line in location.lines:
            to.line.add(function_id=line.function_index, line=line.line)
    assert len({len(profile.samples) for profile in profiles}) == 1
    for samples in zip(*(profile.samples for profile in profiles)):
        assert len({(sample.stack_index, tuple(sample.attribute_indices)) for sample in samples}) == 1
        to = made.sample.add(value=[sample.values[0] for sample in samples],
                             location_id=tables.stack_table[samples[0].stack_index].location_indices)
        for key, value, unit in pairs(tables, samples[0].attribute_indices):
            if isinstance(value, str):
                to.label.add(key=string(key), str=string(value))
            else:
                to.label.add(key=string(key), num=value, num_unit=string(unit))
    return made


def canonical(profile):
    """A Profile without the numbers of its tables: equal for two that say the same."""
    text = profile.string_table
    functions = {one.id: (text[one.name], text[one.system_name], text[one.filename], one.start_line) for one in profile.function}
    mappings = {one.id: (text[one.filename], one.has_functions, one.has_filenames, one.has_line_numbers, one.has_inline_frames)
                for one in profile.mapping}
    locations = {one.id: (mappings.get(one.mapping_id), one.address, [(functions[line.function_id], line.line) for line in one.line])
                 for one in profile.location}
    return {
        "sample types": [(text[one.type], text[one.unit]) for one in profile.sample_type],
        "default": text[profile.default_sample_type],
        "duration": profile.duration_nanos,
        "comments": [text[one] for one in profile.comment],
        "mappings": sorted(mappings.values()),
        "functions": sorted(functions.values()),
        "samples": [(list(one.value), [locations[number] for number in one.location_id],
                     [(text[label.key], text[label.str], label.num, text[label.num_unit]) for label in one.label])
                    for one in profile.sample],
    }
