/*
 * The queues that a stage takes from and puts into, in a simulation: those that its threads were seen to use, with as
 * many items a task as they did.
 */
#ifndef CALLSIG_OUTPUT_VERDICT_MODEL_PORTS_H
#define CALLSIG_OUTPUT_VERDICT_MODEL_PORTS_H

#include "output/verdict/pipeline_model.h"

/* Fills the ports of a station whose threads run the stages of a group; queues that are new are added to the network.
 * Memory is the model's. 1; 0 with what is wrong with them in `*why`, to be told behind its name; or -ENOMEM. */
int out_model_ports(const struct callsig_pipeline *pipeline, const struct out_thread_group *group,
                    struct out_model *model, struct out_network_station *station, const char **why);

#endif
