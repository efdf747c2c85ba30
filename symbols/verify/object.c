/*
 * Opens files with libdwarf, and reads their call frame information.
 */
#include "symbols/verify/object.h"

/* Some of libdwarf's own calls give it no place for an error, at which it ends the process unless it has a handler for
 * it. Their callers look at the result, so there is nothing to do here. */
static void ignore_error(Dwarf_Error error, Dwarf_Ptr data)
{
  (void)error;
  (void)data;
}

bool vf_open_object(const char *path, unsigned group, char *found, unsigned found_size, Dwarf_Debug *dbg)
{
  Dwarf_Error error = NULL;
  int result =
      dwarf_init_path(path, found, found_size, DW_DLC_READ, group, ignore_error, NULL, dbg, NULL, 0, NULL, &error);
  if (result == DW_DLV_ERROR)
    dwarf_dealloc_error(NULL, error);
  if (result != DW_DLV_OK)
    *dbg = NULL;
  return result == DW_DLV_OK;
}

static void read_frames(struct vf_frames *frames, Dwarf_Debug dbg, bool is_eh)
{
  dwarf_set_frame_rule_initial_value(dbg, DW_FRAME_SAME_VAL);
  int result =
      is_eh ? dwarf_get_fde_list_eh(dbg, &frames->cies, &frames->cie_count, &frames->fdes, &frames->fde_count, VF_ERROR)
            : dwarf_get_fde_list(dbg, &frames->cies, &frames->cie_count, &frames->fdes, &frames->fde_count, VF_ERROR);
  frames->dbg = dbg;
  if (result != DW_DLV_OK)
    frames->fde_count = 0;
}

/* A module may have either: compiled with -fno-asynchronous-unwind-tables its code is in .debug_frame, and what the C
 * library starts it with in .eh_frame. The latter is the module's own, of which a separate debug file has a hollow
 * copy; the former lies where the debug information does. */
void vf_open_frames(struct vf_module *module)
{
  if (vf_open_object(module->path, DW_GROUPNUMBER_ANY, NULL, 0, &module->own))
    read_frames(&module->frames[0], module->own, true);
  read_frames(&module->frames[1], module->objects[0]->dbg, false);
}

void vf_close_frames(struct vf_module *module)
{
  for (int i = 0; i < VF_FRAMES; i++) {
    struct vf_frames *frames = &module->frames[i];
    if (frames->fde_count)
      dwarf_fde_cie_list_dealloc(frames->dbg, frames->cies, frames->cie_count, frames->fdes, frames->fde_count);
  }
  if (module->own)
    dwarf_finish(module->own, NULL);
}
