package breaking

// Rules are all rules, by family.
var Rules = []*Rule{
	machineRemoved, eventRemoved, eventNarrowed, parameterNarrowed, activityChanged, guardChanged,
	publishedChanged, outcomeChanged, childChanged,
	behaviourChanged, behaviourUndecided, badAllow,
}
