/* Standard files that the command was started without, or that it has no more use for. */
#ifndef CALLSIG_CLI_COMMON_STANDARD_FILES_H
#define CALLSIG_CLI_COMMON_STANDARD_FILES_H

/* Takes the numbers of standard input, output and error that are closed, so that no file that is opened later gets one,
 * and with it what is meant for people: that would be written into a recording. Reading and writing them fails as
 * before, and programs that are started find them closed. Once, when the command begins. */
void cli_standard_files_hold(void);

/* Gives up standard input and output where they are pipes or sockets, which a program that was started has by now: who
 * is at their other end finds them closed as soon as the program has closed them, and not when this command ends. */
void cli_standard_files_let_go(void);

#endif
