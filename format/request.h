/*
 * What may be asked of a process that records, by who may write its recording: header.request of format/recording.h.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_REQUEST_H
#define CALLSIG_FORMAT_REQUEST_H

enum fmt_request {
  FMT_REQUEST_NONE,  /* to take notice */
  FMT_REQUEST_ON,    /* to record */
  FMT_REQUEST_OFF,   /* to record no more */
  FMT_REQUEST_RESET, /* to count from zero */
};

#define FMT_REQUEST_KIND  0xffu /* of header.request: which of these */
#define FMT_REQUEST_SHIFT 8     /* above it: the number, another one each time */

#endif
