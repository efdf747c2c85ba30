/*
 * The timeline of a page: what was called, worked on and waited for, when.
 */
#ifndef CALLSIG_OUTPUT_EXPORT_PAGE_TIMELINE_H
#define CALLSIG_OUTPUT_EXPORT_PAGE_TIMELINE_H

#include "output/export/page_identities.h"

/* Adds a section of the timeline of the object as it is grouped, which has one; of more than `most` spans the longest.
 * 0, or a negative errno: -ENOMEM without a message. */
int out_page_timeline(struct out_page_identities *identities, uint32_t most);

#endif
