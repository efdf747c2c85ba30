# A folder a library. Beside it, what its tests are linked with; the programs of format/ say themselves which of its users they stand for.
callsig_unit_tests(base callsig_base)
callsig_unit_tests(format)
callsig_unit_tests(profiler callsig_runtime)
callsig_unit_tests(symbols callsig_test_plans)
callsig_unit_tests(output callsig_test_recordings)
callsig_unit_tests(forecast callsig_test_recordings)
callsig_unit_tests(command callsig_cli_parts)
