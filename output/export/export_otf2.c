/*
 * OTF2, the trace format of Score-P, for Vampir and what else reads it: an archive, which is a folder. What was
 * recorded as a timeline is its events. What was counted for each path of calls is a location of its own: a
 * calling-context tree, and for each path a sample with its calls and its own time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/export/export.h"
#include "output/export/export_stacks.h"
#include "output/export/otf2_archive.h"
#include "output/export/timeline.h"
#include "output/text/message.h"
#include "output/text/output_folder.h"

#define NANOSECONDS UINT64_C(1000000000)

/* Events of one location are held up to so much before they are written. */
#define CHUNK_SIZE (UINT64_C(256) * 1024)

static OTF2_FlushType flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
  (void)user, (void)type, (void)location, (void)caller, (void) final;
  return OTF2_FLUSH;
}

/* OTF2 would print its errors; they are told in one line at the end. */
static OTF2_ErrorCode keep_quiet(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
                                 const char *format, va_list arguments)
{
  (void)user, (void)file, (void)line, (void)function, (void)format, (void)arguments;
  return code;
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* Readers expect definitions of each location's own, and tell of them when they are not there: there is nothing to be
 * said in them. */
static void put_local_definitions(struct out_otf2_archive *archive)
{
  struct out_otf2_definitions *definitions = &archive->definitions;
  out_otf2_check(definitions, OTF2_Archive_OpenDefFiles(archive->archive));
  for (OTF2_LocationRef i = 0; i < archive->location_count && definitions->result == 0; i++) {
    OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive->archive, i);
    out_otf2_check(definitions,
                   writer ? OTF2_Archive_CloseDefWriter(archive->archive, writer) : OTF2_ERROR_FILE_INTERACTION);
  }
  out_otf2_check(definitions, OTF2_Archive_CloseDefFiles(archive->archive));
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* A calling context for each node of the stacks, which has its number less 1: node 0 is no frame. */
static void put_contexts(struct out_otf2_archive *archive, const struct out_stacks *stacks)
{
  struct out_otf2_definitions *definitions = &archive->definitions;
  const struct out_profile *profile = &archive->stats->profile;
  for (uint32_t i = 1; i < stacks->nodes.count && definitions->result == 0; i++) {
    const struct out_stack_node *node = out_stacks_node(stacks, i);
    const struct out_known_function *function = out_frame_function(&stacks->frames, node->frame);
    const OTF2_StringRef name = out_otf2_string(definitions, stacks->texts.list[node->frame]);
    const struct out_otf2_region region = {
        .name = name,
        .function = function ? out_otf2_string(definitions, out_profile_string(profile, function->name)) : name,
        .file = out_otf2_string(definitions, function ? out_profile_string(profile, function->file) : ""),
        .line = function ? function->line : 0,
        .role = OTF2_REGION_ROLE_FUNCTION};
    const OTF2_RegionRef number = out_otf2_region(definitions, &region);
    out_otf2_check(definitions, OTF2_GlobalDefWriter_WriteCallingContext(
                                    definitions->writer, i - 1, number, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                                    node->parent ? node->parent - 1 : OTF2_UNDEFINED_CALLING_CONTEXT));
  }
}

/* The metrics of samples. */
static OTF2_MetricRef put_sample_metrics(struct out_otf2_archive *archive)
{
  struct out_otf2_definitions *definitions = &archive->definitions;
  static const char *const names[] = {"calls", "time"}, *const units[] = {"#", "ns"};
  static const char *const told[] = {"calls of the context", "time in them without the calls that they made"};
  const OTF2_MetricMemberRef first = definitions->metrics.count;
  const OTF2_MetricMemberRef members[] = {first, first + 1};
  for (unsigned i = 0; i < 2; i++) {
    OTF2_StringRef *added = base_vector_add(&definitions->metrics, 1);
    if (!added) {
      definitions->result = -ENOMEM;
      return 0;
    }
    *added = OTF2_UNDEFINED_STRING;
    out_otf2_check(definitions,
                   OTF2_GlobalDefWriter_WriteMetricMember(
                       definitions->writer, members[i], out_otf2_string(definitions, names[i]),
                       out_otf2_string(definitions, told[i]), OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT,
                       OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, i ? -9 : 0, out_otf2_string(definitions, units[i])));
  }
  out_otf2_check(definitions,
                 OTF2_GlobalDefWriter_WriteMetricClass(definitions->writer, first, 2, members, OTF2_METRIC_SYNCHRONOUS,
                                                       OTF2_RECORDER_KIND_ABSTRACT));
  return first;
}

/* A sample for each path, with its metrics before it. Its time is the sum of those before, so that the stretch up to
 * the next sample is as long as its own. */
static void put_samples(struct out_otf2_archive *archive, const struct out_stacks *stacks, OTF2_MetricRef metric)
{
  static const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64};
  struct out_export_clock clock = {.tick = archive->stats->grouping.tick};
  for (uint32_t i = 0; i < stacks->list.count && archive->definitions.result == 0; i++) {
    const struct out_stack *stack = out_stacks_at(stacks, i);
    const uint64_t time = clock.nanoseconds, own = out_export_nanoseconds(&clock, stack->own);
    const OTF2_MetricValue values[] = {{.unsigned_int = stack->calls}, {.unsigned_int = own}};
    out_otf2_event(archive, OTF2_EvtWriter_Metric(archive->events, NULL, time, metric, 2, types, values), time);
    out_otf2_event(archive,
                   OTF2_EvtWriter_CallingContextSample(archive->events, NULL, time, stack->node - 1,
                                                       out_stacks_node(stacks, stack->node)->depth, 0),
                   time + own);
  }
}

static int put_profile(struct out_otf2_archive *archive)
{
  struct out_otf2_definitions *definitions = &archive->definitions;
  struct out_stacks stacks;
  int result = out_stacks_make(archive->stats, &(struct out_stack_shape){.apart = false}, &stacks);
  if (result < 0)
    return result;
  put_contexts(archive, &stacks);
  const OTF2_MetricRef metric = put_sample_metrics(archive);
  out_otf2_check(definitions,
                 OTF2_GlobalDefWriter_WriteInterruptGenerator(
                     definitions->writer, 0, out_otf2_string(definitions, "callsig: sums by calling context"),
                     OTF2_INTERRUPT_GENERATOR_MODE_COUNT, OTF2_BASE_DECIMAL, 0, 1));
  const OTF2_LocationGroupRef group = out_otf2_group(archive, "profile");
  out_otf2_open_location(archive);
  put_samples(archive, &stacks, metric);
  out_otf2_close_location(archive, "sums by calling context", OTF2_LOCATION_TYPE_CPU_THREAD, group);
  out_stacks_free(&stacks);
  return definitions->result;
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* When the first of the processes began. */
static uint64_t start_of(const struct out_profile *profile)
{
  uint64_t first = UINT64_MAX;
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const uint64_t start = out_profile_recording(profile, i)->process.start_realtime_ns;
    first = start < first ? start : first;
  }
  return first;
}

static int write_archive(struct out_otf2_archive *archive)
{
  struct out_otf2_definitions *definitions = &archive->definitions;
  const OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = flush};
  out_otf2_check(definitions, OTF2_Archive_SetFlushCallbacks(archive->archive, &callbacks, NULL));
  out_otf2_check(definitions, OTF2_Archive_SetSerialCollectiveCallbacks(archive->archive));
  out_otf2_check(definitions, OTF2_Archive_SetCreator(archive->archive, "callsig"));
  out_otf2_check(definitions, OTF2_Archive_OpenEvtFiles(archive->archive));
  OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive->archive);
  if (!writer || definitions->result < 0)
    return -EIO;
  int result = out_otf2_definitions_init(definitions, writer);
  if (result < 0)
    return result;
  out_otf2_check(definitions, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                                  writer, 0, out_otf2_string(definitions, "callsig"),
                                  out_otf2_string(definitions, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  if (out_timeline_is_there(archive->stats))
    result = out_otf2_put_timeline(archive);
  if (result == 0)
    result = put_profile(archive);
  out_otf2_check(definitions, OTF2_Archive_CloseEvtFiles(archive->archive));
  put_local_definitions(archive);
  out_otf2_check(definitions, OTF2_GlobalDefWriter_WriteClockProperties(writer, NANOSECONDS, 0, archive->end + 1,
                                                                        start_of(&archive->stats->profile)));
  if (archive->text.failed && result == 0)
    result = -ENOMEM;
  return result < 0 ? result : definitions->result;
}

/* Writes the archive's files into a folder that is there. 0, or a negative errno after a message. */
static int write_files(const struct out_export *export, const char *folder)
{
  struct out_otf2_archive archive = {.stats = export->stats, .event_counts = BASE_VECTOR_OF(uint64_t)};
  char *anchor = NULL;
  OTF2_ErrorCallback before = OTF2_Error_RegisterCallback(keep_quiet, NULL);
  int result = -EIO;
  archive.archive = OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, CHUNK_SIZE,
                                      OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive.archive) {
    result = write_archive(&archive);
    if (OTF2_Archive_Close(archive.archive) != OTF2_SUCCESS && result == 0)
      result = -EIO;
  }
  if (result == 0 && asprintf(&anchor, "%s/traces.otf2", folder) < 0)
    result = -ENOMEM;
  if (result == 0)
    result = out_otf2_read_back(&archive, anchor);
  OTF2_Error_RegisterCallback(before, NULL);
  free(anchor);
  base_vector_free(&archive.event_counts);
  out_otf2_definitions_free(&archive.definitions);
  out_text_free(&archive.text);
  if (result == -EIO)
    return out_stats_fail(-EIO, "%s: cannot be written; make room, or name a folder elsewhere", export->folder);
  return result == -ENOMEM ? out_stats_no_memory() : result;
}

int out_export_otf2(const struct out_export *export)
{
  struct out_output_folder folder;
  int result = out_output_folder_open(&folder, export->folder);
  return result < 0 ? result : out_output_folder_close(&folder, write_files(export, folder.temporary));
}
