package runtime

import "github.com/fsmc-dev/fsmc/runtime/machine"

// WithTags gives tags to a run that starts. Tags say by name what the run belongs to, such as
// "team": "pay"; lists, and commands for many runs, find the run by them. They never change, and
// the machine cannot read them. The children of the run have the same tags. machine.CheckTags
// says what is allowed.
func WithTags(tags map[string]string) machine.StartOption { return machine.Tags(tags) }
