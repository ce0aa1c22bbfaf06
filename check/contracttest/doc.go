// Package contracttest is an interpreter of the fsm language written from the
// contract of the language alone. It shares nothing with the checker: neither
// parser, resolver, explorer nor step. Only its own tests need it, so it is
// written in files of tests; those of package contracttest_test compare the
// checker with it.
//
// In the order in which to read them: a machine in a model of its own (model_test.go),
// its text (print_test.go), one that it calls (child_test.go), random ones
// (random_test.go, random_arms_test.go) and what changes nothing in them
// (changes_test.go); a configuration with dense time (config_test.go); one step
// (eval_test.go, step_test.go, move_test.go), records in it (record_test.go), and
// what budgets have to do with it (budget_test.go); all that can happen
// (happen_test.go, space_test.go); what the rules and figures of the checker must be
// (verdicts_test.go, worst_test.go); and the smallest machine that shows a difference
// (shrink_test.go).
package contracttest
