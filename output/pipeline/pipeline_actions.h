/*
 * The actions of a recording, whose times are those of the report by function.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_PIPELINE_ACTIONS_H
#define CALLSIG_OUTPUT_PIPELINE_PIPELINE_ACTIONS_H

#include "output/pipeline/pipeline.h"

/* The recording's calls when there are actions among them, else `*stats` is NULL. 0 or a negative errno after a
 * message.
 */
int out_pipeline_open_actions(int file, const char *path, struct callsig_stats **stats);

/* Fills pipeline->actions from those of its process. 0 or a negative errno after a message. */
int out_pipeline_take_actions(struct callsig_stats *stats, struct callsig_pipeline *pipeline);

/* Fills pipeline->actions from the same recording. 0 or a negative errno after a message. */
int out_pipeline_load_actions(int file, const char *path, struct callsig_pipeline *pipeline);

#endif
