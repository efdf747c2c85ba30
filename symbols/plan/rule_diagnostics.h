/*
 * What is wrong with rules: names that a module does not have, and values that a rule does not fit.
 */
#ifndef CALLSIG_SYMBOLS_PLAN_RULE_DIAGNOSTICS_H
#define CALLSIG_SYMBOLS_PLAN_RULE_DIAGNOSTICS_H

#include "symbols/plan/planner.h"

/*
 * After the last sym_planner_function(): looks for what rules name and no planned function used, fills the rules
 * section, and gives an error line for each of the module's own rules that names something which does not exist
 * (-EINVAL). Rules of the rules file are not judged here, since another module may know them: see sym_rules_check()
 * (rulecheck.h).
 */
int sym_rule_diagnostics_make(struct sym_planner *planner);

#endif
