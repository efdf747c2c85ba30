/* What -finstrument-functions calls. */
#ifndef BENCH_HOOKS_H
#define BENCH_HOOKS_H

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

#endif
