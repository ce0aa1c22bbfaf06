package describe

import (
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Listed is a run in a list. Its JSON form is stable.
type Listed struct {
	Run     string            `json:"run"`
	Machine string            `json:"machine"`
	State   string            `json:"state"`
	Status  runtime.Status    `json:"status"`
	Outcome runtime.Outcome   `json:"outcome,omitempty"`
	Paused  bool              `json:"paused,omitempty"`
	Seq     int64             `json:"seq"`
	Started time.Time         `json:"started"`
	Entered time.Time         `json:"entered"`
	Updated time.Time         `json:"updated"`
	Parent  string            `json:"parent,omitempty"`
	Tags    map[string]string `json:"tags,omitempty"`
}

// List is a run as lists have it.
func List(r *runtime.RunRow) Listed {
	return Listed{r.Run, r.Machine, r.State, r.Status, r.Outcome, r.Paused, r.Seq, r.Started, r.Entered, r.Updated, r.Parent, r.Tags}
}

// Tags are tags as --where takes them, by name: tag.for='Ada Lovelace' tag.team=pay.
func Tags(tags map[string]string) string {
	var terms []string
	for _, name := range machine.TagNames(tags) {
		terms = append(terms, Tag(name, tags[name]))
	}
	return strings.Join(terms, " ")
}

// Tag is a tag as --where takes it.
func Tag(name, value string) string { return Term("tag."+name, value) }

// Term is a term as --where takes it: parent=order-7.
func Term(key, value string) string {
	if strings.ContainsAny(value, " ,'\"") {
		value = "'" + strings.ReplaceAll(value, "'", "''") + "'"
	}
	return key + "=" + value
}
