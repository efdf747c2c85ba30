/*
 * A folder of files that appears whole or not at all.
 */
#ifndef CALLSIG_OUTPUT_TEXT_OUTPUT_FOLDER_H
#define CALLSIG_OUTPUT_TEXT_OUTPUT_FOLDER_H

/* A folder on its way. Belongs to whoever opened it, from out_output_folder_open() to out_output_folder_close(). */
struct out_output_folder {
  const char *path; /* borrowed */
  char *temporary;  /* owned: where the files are written meanwhile */
};

/*
 * Makes a folder beside `path` that nobody else may enter, whose files go to `path` when they are complete. What is
 * there already is never replaced. 0, or a negative errno after a message that names the path: -EEXIST when it is
 * there.
 */
int out_output_folder_open(struct out_output_folder *folder, const char *path);

/*
 * Ends the folder. `result` is how writing it went: 0, or a negative errno that a message was given for. When it is 0
 * all in it is made its owner's alone (0700 and 0600) and put in place, otherwise it is removed with all that is in it.
 * Returns `result`, or a negative errno after a message.
 */
int out_output_folder_close(struct out_output_folder *folder, int result);

#endif
