/*
 * Named actions.
 */
#ifndef CALLSIG_ACTION_H
#define CALLSIG_ACTION_H

#include "internal.h"

/* The name record of an action, the same for all threads, made when new. NULL: no space. In a slow section. */
const struct cs_rec_name *cs_action_name(const char *name);

#endif
