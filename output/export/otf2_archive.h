/*
 * An OTF2 archive being written: what it defines once and its events name by number (texts, regions, metrics), each
 * written to the global definitions when it is first asked for; and its locations, one after the other, so that memory
 * is taken for the events of one alone. The profile and the timeline are written to it by export_otf2.c and
 * otf2_timeline.c.
 */
#ifndef CALLSIG_OUTPUT_EXPORT_OTF2_ARCHIVE_H
#define CALLSIG_OUTPUT_EXPORT_OTF2_ARCHIVE_H

#include <otf2/otf2.h>

#include "output/stats/stats_object.h"

struct out_otf2_definitions {
  OTF2_GlobalDefWriter *writer;
  struct base_strings *strings;
  struct base_vector offsets; /* uint32_t: offsets of `strings`, by their number in the archive */
  struct out_idset offset_set;
  struct base_vector regions; /* struct out_otf2_region */
  struct out_idset region_set;
  struct base_vector metrics; /* OTF2_StringRef: their names; a metric and its class have the same number */
  int result;                 /* of everything so far: 0, -ENOMEM, or what out_otf2_check() gives */
};

/* A region as events name it: two of the same name in two files are two. */
struct out_otf2_region {
  OTF2_StringRef name, function, file;
  uint32_t line;
  OTF2_RegionRole role;
};

/* 0 or -ENOMEM. */
int out_otf2_definitions_init(struct out_otf2_definitions *definitions, OTF2_GlobalDefWriter *writer);
void out_otf2_definitions_free(struct out_otf2_definitions *definitions);

/* Keeps what a function of OTF2 returned: -EIO for an error, -ENOMEM where it is that. */
void out_otf2_check(struct out_otf2_definitions *definitions, OTF2_ErrorCode code);

/* The numbers of these, made when they are new; errors are kept in `result`, and the number is 0. A metric has whole
 * numbers, or fractions, of which each holds until the next. */
OTF2_StringRef out_otf2_string(struct out_otf2_definitions *definitions, const char *text);
OTF2_RegionRef out_otf2_region(struct out_otf2_definitions *definitions, const struct out_otf2_region *region);
OTF2_MetricRef out_otf2_metric(struct out_otf2_definitions *definitions, const char *name, bool whole);

struct out_otf2_archive {
  struct callsig_stats *stats; /* borrowed */
  OTF2_Archive *archive;
  struct out_otf2_definitions definitions;
  OTF2_EvtWriter *events;          /* of the location that is open */
  uint64_t event_count;            /* that it has */
  struct base_vector event_counts; /* uint64_t, by location */
  uint64_t marker_count;
  uint64_t end; /* of the last event or marker of all: nanoseconds */
  OTF2_LocationRef location_count;
  OTF2_LocationGroupRef group_count;
  struct out_text text; /* scratch */
};

/* Makes a group of locations: a process, or what stands for the whole. */
OTF2_LocationGroupRef out_otf2_group(struct out_otf2_archive *archive, const char *name);

/* Opens and closes a location, one at a time. Errors are kept in archive.definitions.result, as all are. */
void out_otf2_open_location(struct out_otf2_archive *archive);
void out_otf2_close_location(struct out_otf2_archive *archive, const char *name, OTF2_LocationType type,
                             OTF2_LocationGroupRef group);

/* Keeps what an event's writing returned and counts the event, which was at this time. */
void out_otf2_event(struct out_otf2_archive *archive, OTF2_ErrorCode code, uint64_t time);

/* Reads a closed archive back, as OTF2 does not tell of all that could not be written (a disk that is full when a file
 * is closed): are all definitions, events and markers there? 0 or -EIO, without a message. */
int out_otf2_read_back(const struct out_otf2_archive *archive, const char *anchor);

/* Writes the timeline. 0 or a negative errno; -ENOMEM and -EIO without a message. */
int out_otf2_put_timeline(struct out_otf2_archive *archive);

#endif
