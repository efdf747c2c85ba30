/*
 * The lines of a long table: made by two threads, block by block, and written in order by the one that asked for them.
 */
#ifndef CALLSIG_OUTPUT_REPORT_TABLE_BLOCKS_H
#define CALLSIG_OUTPUT_REPORT_TABLE_BLOCKS_H

#include "output/report/table_writer.h"

/* Makes the line of a row in table->line, which is empty, and leaves everything else but the table's own scratch memory
 * as it is: two threads do so at once, each with a table of its own of the same rows. */
typedef void out_table_line_fn(struct out_table *table, uint32_t row);

/* Writes the lines of all rows of the table's list. A short list takes no second thread, nor does a list for which
 * there is none to be had. -EIO or -ENOMEM. */
int out_table_put_rows(struct out_table *table, out_table_line_fn *line);

#endif
