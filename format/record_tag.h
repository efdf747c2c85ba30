/*
 * What every record of a recording begins with: format/recording.h.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_RECORD_TAG_H
#define CALLSIG_FORMAT_RECORD_TAG_H

#include <stdint.h>

/* Every record begins with its tag, and its size in bytes so that an older reader can step over what was added. */
struct fmt_rec_tag {
  uint32_t tag; /* enum fmt_rec_tag_id */
  uint32_t size;
};

enum fmt_rec_tag_id {
  FMT_TAG_MODULE = 0x444F4D43,      /* "CMOD" */
  FMT_TAG_THREAD = 0x52485443,      /* "CTHR" */
  FMT_TAG_FUNCTION = 0x4E554643,    /* "CFUN" */
  FMT_TAG_SIGNATURE = 0x47495343,   /* "CSIG" */
  FMT_TAG_CONTEXT = 0x58544343,     /* "CCTX" */
  FMT_TAG_VARIANT = 0x52415643,     /* "CVAR" */
  FMT_TAG_EDGE = 0x47444543,        /* "CEDG" */
  FMT_TAG_RECURSION = 0x43455243,   /* "CREC" */
  FMT_TAG_STACK = 0x4B545343,       /* "CSTK" */
  FMT_TAG_NAME = 0x4D414E43,        /* "CNAM" */
  FMT_TAG_HISTOGRAM = 0x53494843,   /* "CHIS" */
  FMT_TAG_STAGE = 0x47545343,       /* "CSTG" */
  FMT_TAG_TASKS = 0x4B535443,       /* "CTSK" */
  FMT_TAG_QUEUE = 0x45555143,       /* "CQUE" */
  FMT_TAG_QUEUE_USE = 0x55555143,   /* "CQUU" */
  FMT_TAG_EVENT = 0x54564543,       /* "CEVT" */
  FMT_TAG_RING = 0x474E5243,        /* "CRNG" */
  FMT_TAG_PROCESS = 0x4F525043,     /* "CPRO" */
  FMT_TAG_SAMPLING = 0x504D5343,    /* "CSMP" */
  FMT_TAG_TASK_WORK = 0x4B575443,   /* "CTWK" */
  FMT_TAG_TASK_WAITS = 0x54575443,  /* "CTWT" */
  FMT_TAG_SAMPLES = 0x4D415343,     /* "CSAM" */
  FMT_TAG_SEAL = 0x41455343,        /* "CSEA" */
  FMT_TAG_COUNTER = 0x544E4343,     /* "CCNT" */
  FMT_TAG_COUNTER_USE = 0x55544343, /* "CCTU" */
  FMT_TAG_EVENT_TIMES = 0x4D544543, /* "CETM" */
  FMT_TAG_CALL_PLACE = 0x4C504343,  /* "CCPL" */
  FMT_TAG_SLEEP = 0x504C5343,       /* "CSLP" */
  FMT_TAG_PAUSES = 0x55415043,      /* "CPAU" */
  FMT_TAG_ASKED = 0x4B534143,       /* "CASK" */
  FMT_TAG_ASKED_LIST = 0x4C534143,  /* "CASL" */
  FMT_TAG_RANK_ROW = 0x57525243,    /* "CRRW" */
};

#endif
