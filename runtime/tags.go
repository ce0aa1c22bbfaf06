package runtime

import "github.com/fsmc-dev/fsmc/runtime/machine"

// WithTags gives a run that starts tags: what it belongs to, by name, such as "team": "pay". Lists and
// commands for many runs find it by them. They never change, and the machine does not know
// of them. The children of the run have the same. See machine.CheckTags for what is allowed.
func WithTags(tags map[string]string) machine.StartOption { return machine.Tags(tags) }
