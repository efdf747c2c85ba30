/*
 * The actions of a recording, whose times are those of the report by function.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_ACTIONS_H
#define CALLSIG_OUTPUT_PIPELINE_ACTIONS_H

#include "pipeline.h"

/* Fills pipeline->actions from the same recording. 0 or a negative errno after a message. */
int cs_pipeline_load_actions(int file, const char *path, struct callsig_pipeline *pipeline);

#endif
