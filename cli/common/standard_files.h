/* Standard files that the command was started without. */
#ifndef CALLSIG_CLI_COMMON_STANDARD_FILES_H
#define CALLSIG_CLI_COMMON_STANDARD_FILES_H

/* Takes the numbers of standard input, output and error that are closed, so that no file that is opened later gets one,
 * and with it what is meant for people: that would be written into a recording. Reading and writing them fails as
 * before, and programs that are started find them closed. Once, when the command begins. */
void cli_standard_files_hold(void);

#endif
