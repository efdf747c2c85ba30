/*
 * What `callsig attach` tells the runtime in a program that was started without it, whose environment says nothing.
 *
 * The settings are the text of an environment: "NAME=value" and a NUL each, and one more NUL at the end. They lie in a
 * mapping of an anonymous file (memfd_create) of the name below, which is in the process before the runtime is, and
 * stays: it also tells that the runtime came so. Its last bytes are the machine code by which the command has functions
 * called there.
 */
#ifndef CALLSIG_FORMAT_ATTACH_H
#define CALLSIG_FORMAT_ATTACH_H

#define FMT_ATTACH_NAME "callsig-attach"

/* How /proc/PID/maps calls the mapping. */
#define FMT_ATTACH_MAPPING "/memfd:" FMT_ATTACH_NAME " (deleted)"

#endif
