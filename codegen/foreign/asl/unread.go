package asl

import (
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
)

// What is read, or has no part in what a machine does. Anything else that stands in a definition
// is told, whether the States Language has it or not.
var (
	inStates = strings.Fields(`Type Comment Next End QueryLanguage Label InputPath OutputPath Parameters ResultPath
		ResultSelector Arguments Output Assign Retry Catch Resource TimeoutSeconds TimeoutSecondsPath HeartbeatSeconds
		HeartbeatSecondsPath Result Choices Default Seconds SecondsPath Timestamp TimestampPath Error Cause ErrorPath
		CausePath Items ItemsPath ItemProcessor Iterator ItemSelector ItemReader ItemBatcher ResultWriter MaxConcurrency
		MaxConcurrencyPath ToleratedFailureCount ToleratedFailureCountPath ToleratedFailurePercentage
		ToleratedFailurePercentagePath Branches`)
	inDefinitions = strings.Fields("StartAt States Comment Version TimeoutSeconds QueryLanguage ProcessorConfig")
	inRetry       = strings.Fields("ErrorEquals IntervalSeconds MaxAttempts BackoffRate MaxDelaySeconds JitterStrategy Comment")
	inCatch       = strings.Fields("ErrorEquals Next ResultPath Assign Output Comment")
)

// unread notes what stands in a state and is not read.
func (m *machine) unread(st *foreign.Value) {
	m.notRead(st.Others(inStates...))
	for _, r := range st.Get("Retry").List() {
		m.notRead(r.Others(inRetry...))
	}
	for _, c := range st.Get("Catch").List() {
		m.notRead(c.Others(inCatch...))
	}
}

// notRead notes keys in the documentation of the state.
func (m *machine) notRead(keys []string) { m.cur.Doc = m.noted(m.cur.Doc, keys) }

// noted is a documentation with keys that are not read.
func (m *machine) noted(doc string, keys []string) string {
	lines := []string{doc}
	for _, k := range keys {
		lines = append(lines, strings.TrimPrefix(m.item.Data("%s, which is not read", foreign.Quote(k)), "// "))
	}
	return strings.TrimPrefix(strings.Join(lines, "\n"), "\n")
}
