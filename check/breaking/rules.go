package breaking

// Rules are all rules, by family.
var Rules = []*Rule{
	machineRemoved, eventRemoved, eventNarrowed, parameterNarrowed, activityChanged, guardChanged,
	publishedChanged, outcomeChanged, childChanged,
	stateRemoved, fieldChanged, fieldUnset, counterLowered, timerDue, activityRemoved, requireFalse,
	worstCaseRaised, budgetRaised, assertWeakened, behaviourChanged, behaviourUndecided, badAllow,
}
