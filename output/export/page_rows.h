/*
 * The rows of a page: those of one grouping with what the report says of them, and who called whom.
 */
#ifndef CALLSIG_OUTPUT_EXPORT_PAGE_ROWS_H
#define CALLSIG_OUTPUT_EXPORT_PAGE_ROWS_H

#include "output/export/page_identities.h"

/* Adds a section of the rows of the object as it is prepared. Of more than `most` rows by signature those are kept that
 * are first in the object's order; the others of each function are one row, without cumulative times, which do not add
 * up. 0, or a negative errno: -ENOMEM. */
int out_page_rows(struct out_page_identities *identities, uint32_t most);

#endif
