/* Lists the recordings that figures in JSON were made of. */
#include "output/profile/recordings_json.h"

void out_recordings_json(struct out_json *json, const struct out_profile *profile)
{
  out_json_key(json, "recordings");
  out_json_open_array(json);
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const struct out_recording_info *info = out_profile_recording(profile, i);
    out_json_open_map(json);
    out_json_key_string(json, "file", out_profile_string(profile, info->path));
    out_json_key_string(json, "program", out_profile_string(profile, info->program));
    out_json_key_integer(json, "pid", info->pid);
    out_json_close_map(json);
  }
  out_json_close_array(json);
}
