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

/* The call frame information is the module's own; a separate debug file has a hollow copy of it. */
void vf_open_frames(struct vf_module *module)
{
  if (!vf_open_object(module->path, DW_GROUPNUMBER_ANY, NULL, 0, &module->frames))
    return;
  dwarf_set_frame_rule_initial_value(module->frames, DW_FRAME_SAME_VAL);
  if (dwarf_get_fde_list_eh(module->frames, &module->cies, &module->cie_count, &module->fdes, &module->fde_count,
                            VF_ERROR) != DW_DLV_OK &&
      dwarf_get_fde_list(module->frames, &module->cies, &module->cie_count, &module->fdes, &module->fde_count,
                         VF_ERROR) != DW_DLV_OK)
    module->fde_count = 0;
}
