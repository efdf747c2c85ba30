/* The definitions of an OTF2 archive, interned and written as they are first needed; its locations and their events. */
#include "output/export/otf2_archive.h"

#include <errno.h>

int out_otf2_definitions_init(struct out_otf2_definitions *definitions, OTF2_GlobalDefWriter *writer)
{
  *definitions = (struct out_otf2_definitions){.writer = writer,
                                               .strings = base_strings_new(),
                                               .offsets = BASE_VECTOR_OF(uint32_t),
                                               .regions = BASE_VECTOR_OF(struct out_otf2_region),
                                               .metrics = BASE_VECTOR_OF(OTF2_StringRef)};
  return definitions->strings ? 0 : -ENOMEM;
}

void out_otf2_definitions_free(struct out_otf2_definitions *definitions)
{
  base_strings_free(definitions->strings);
  base_vector_free(&definitions->offsets);
  out_idset_free(&definitions->offset_set);
  base_vector_free(&definitions->regions);
  out_idset_free(&definitions->region_set);
  base_vector_free(&definitions->metrics);
}

void out_otf2_check(struct out_otf2_definitions *definitions, OTF2_ErrorCode code)
{
  if (code != OTF2_SUCCESS && definitions->result == 0)
    definitions->result =
        code == OTF2_ERROR_MEM_ALLOC_FAILED || code == OTF2_ERROR_MEM_FAULT || code == OTF2_ERROR_ENOMEM ? -ENOMEM
                                                                                                         : -EIO;
}

static bool equal_offset(const void *owner, uint32_t number, const void *key)
{
  const struct out_otf2_definitions *definitions = owner;
  return *(const uint32_t *)base_vector_at(&definitions->offsets, number) == *(const uint32_t *)key;
}

OTF2_StringRef out_otf2_string(struct out_otf2_definitions *definitions, const char *text)
{
  uint32_t offset = 0;
  if (definitions->result == 0)
    definitions->result = base_strings_add(definitions->strings, text, &offset);
  if (definitions->result < 0)
    return 0;
  const uint64_t hash = out_hash_mix(0, offset);
  uint32_t number = out_idset_find(&definitions->offset_set, hash, definitions, &offset, equal_offset);
  if (number != FMT_NONE)
    return number;
  number = definitions->offsets.count;
  uint32_t *added = base_vector_add(&definitions->offsets, 1);
  if (!added || out_idset_add(&definitions->offset_set, hash, number) < 0) {
    definitions->result = -ENOMEM;
    return 0;
  }
  *added = offset;
  out_otf2_check(definitions, OTF2_GlobalDefWriter_WriteString(definitions->writer, number, text));
  return number;
}

static bool equal_region(const void *owner, uint32_t number, const void *key)
{
  const struct out_otf2_definitions *definitions = owner;
  const struct out_otf2_region *there = base_vector_at(&definitions->regions, number), *wanted = key;
  return there->name == wanted->name && there->file == wanted->file && there->line == wanted->line &&
         there->role == wanted->role;
}

OTF2_RegionRef out_otf2_region(struct out_otf2_definitions *definitions, const struct out_otf2_region *region)
{
  const uint64_t hash = out_hash_mix(out_hash_mix(region->name, region->file), region->line);
  uint32_t number = out_idset_find(&definitions->region_set, hash, definitions, region, equal_region);
  if (number != FMT_NONE || definitions->result < 0)
    return definitions->result < 0 ? 0 : number;
  number = definitions->regions.count;
  struct out_otf2_region *added = base_vector_add(&definitions->regions, 1);
  if (!added || out_idset_add(&definitions->region_set, hash, number) < 0) {
    definitions->result = -ENOMEM;
    return 0;
  }
  *added = *region;
  OTF2_StringRef none = out_otf2_string(definitions, "");
  OTF2_Paradigm paradigm = region->role == OTF2_REGION_ROLE_FUNCTION ? OTF2_PARADIGM_COMPILER : OTF2_PARADIGM_USER;
  out_otf2_check(definitions, OTF2_GlobalDefWriter_WriteRegion(definitions->writer, number, region->name,
                                                               region->function, none, region->role, paradigm,
                                                               OTF2_REGION_FLAG_NONE, region->file, region->line, 0));
  return number;
}

OTF2_MetricRef out_otf2_metric(struct out_otf2_definitions *definitions, const char *name, bool whole)
{
  const OTF2_StringRef text = out_otf2_string(definitions, name), none = out_otf2_string(definitions, "");
  for (uint32_t i = 0; i < definitions->metrics.count; i++) {
    if (*(const OTF2_StringRef *)base_vector_at(&definitions->metrics, i) == text)
      return i;
  }
  const OTF2_MetricMemberRef member = definitions->metrics.count;
  OTF2_StringRef *added = definitions->result < 0 ? NULL : base_vector_add(&definitions->metrics, 1);
  if (!added) {
    definitions->result = definitions->result < 0 ? definitions->result : -ENOMEM;
    return 0;
  }
  *added = text;
  out_otf2_check(definitions, OTF2_GlobalDefWriter_WriteMetricMember(definitions->writer, member, text, none,
                                                                     OTF2_METRIC_TYPE_USER, OTF2_METRIC_ABSOLUTE_NEXT,
                                                                     whole ? OTF2_TYPE_UINT64 : OTF2_TYPE_DOUBLE,
                                                                     OTF2_BASE_DECIMAL, 0, none));
  out_otf2_check(definitions,
                 OTF2_GlobalDefWriter_WriteMetricClass(definitions->writer, member, 1, &member,
                                                       OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_ABSTRACT));
  return member;
}

/* ------------------------------------------------------------------------------------------------------------------ */

OTF2_LocationGroupRef out_otf2_group(struct out_otf2_archive *archive, const char *name)
{
  const OTF2_LocationGroupRef group = archive->group_count++;
  const OTF2_StringRef text = out_otf2_string(&archive->definitions, name);
  out_otf2_check(&archive->definitions, OTF2_GlobalDefWriter_WriteLocationGroup(archive->definitions.writer, group,
                                                                                text, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                                                0, OTF2_UNDEFINED_LOCATION_GROUP));
  return group;
}

void out_otf2_open_location(struct out_otf2_archive *archive)
{
  archive->event_count = 0;
  archive->events =
      archive->definitions.result < 0 ? NULL : OTF2_Archive_GetEvtWriter(archive->archive, archive->location_count);
  if (!archive->events)
    out_otf2_check(&archive->definitions, OTF2_ERROR_FILE_INTERACTION);
}

void out_otf2_event(struct out_otf2_archive *archive, OTF2_ErrorCode code, uint64_t time)
{
  out_otf2_check(&archive->definitions, code);
  archive->event_count++;
  archive->end = time > archive->end ? time : archive->end;
}

void out_otf2_close_location(struct out_otf2_archive *archive, const char *name, OTF2_LocationType type,
                             OTF2_LocationGroupRef group)
{
  struct out_otf2_definitions *definitions = &archive->definitions;
  const OTF2_LocationRef location = archive->location_count++;
  if (!archive->events)
    return;
  out_otf2_check(definitions, OTF2_Archive_CloseEvtWriter(archive->archive, archive->events));
  uint64_t *count = base_vector_add(&archive->event_counts, 1);
  if (count)
    *count = archive->event_count;
  else if (definitions->result == 0)
    definitions->result = -ENOMEM;
  archive->events = NULL;
  const OTF2_StringRef text = out_otf2_string(definitions, name);
  out_otf2_check(definitions, OTF2_GlobalDefWriter_WriteLocation(definitions->writer, location, text, type,
                                                                 archive->event_count, group));
}

/* ------------------------------------------------------------------------------------------------------------------ */

static bool definitions_are_there(OTF2_Reader *reader)
{
  uint64_t wanted, found;
  OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
  return definitions && OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &wanted) == OTF2_SUCCESS &&
         OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &found) == OTF2_SUCCESS && wanted == found &&
         OTF2_Reader_CloseGlobalDefReader(reader, definitions) == OTF2_SUCCESS;
}

static bool events_are_there(OTF2_Reader *reader, const struct base_vector *counts)
{
  bool there = OTF2_Reader_OpenEvtFiles(reader) == OTF2_SUCCESS;
  for (uint32_t i = 0; i < counts->count && there; i++) {
    uint64_t found;
    OTF2_EvtReader *events =
        OTF2_Reader_SelectLocation(reader, i) == OTF2_SUCCESS ? OTF2_Reader_GetEvtReader(reader, i) : NULL;
    there = events && OTF2_Reader_ReadAllLocalEvents(reader, events, &found) == OTF2_SUCCESS &&
            found == *(const uint64_t *)base_vector_at(counts, i) &&
            OTF2_Reader_CloseEvtReader(reader, events) == OTF2_SUCCESS;
  }
  return there && OTF2_Reader_CloseEvtFiles(reader) == OTF2_SUCCESS;
}

static bool markers_are_there(OTF2_Reader *reader, uint64_t count)
{
  uint64_t found;
  OTF2_MarkerReader *markers = OTF2_Reader_GetMarkerReader(reader);
  return markers && OTF2_Reader_ReadAllMarkers(reader, markers, &found) == OTF2_SUCCESS && found == count &&
         OTF2_Reader_CloseMarkerReader(reader, markers) == OTF2_SUCCESS;
}

int out_otf2_read_back(const struct out_otf2_archive *archive, const char *anchor)
{
  OTF2_Reader *reader = OTF2_Reader_Open(anchor);
  if (!reader)
    return -EIO;
  bool whole = OTF2_Reader_SetSerialCollectiveCallbacks(reader) == OTF2_SUCCESS && definitions_are_there(reader) &&
               events_are_there(reader, &archive->event_counts) &&
               (archive->marker_count == 0 || markers_are_there(reader, archive->marker_count));
  bool closed = OTF2_Reader_Close(reader) == OTF2_SUCCESS;
  return whole && closed ? 0 : -EIO;
}
