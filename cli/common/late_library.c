/* Loads libraries by dlopen(). */
#include "cli/common/late_library.h"

#include <dlfcn.h>
#include <string.h>

#include "cli/common/subcommand.h"

bool cli_late_library(const char *soname, const struct cli_late_function *functions, size_t count)
{
  void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    cli_error("%s: install the package that has it", dlerror());
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    void *address = dlsym(library, functions[i].name);
    if (!address) {
      cli_error("%s has no %s(): install a newer version of it", soname, functions[i].name);
      dlclose(library);
      return false;
    }
    memcpy(functions[i].pointer, &address, sizeof address);
  }
  return true;
}
