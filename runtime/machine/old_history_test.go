package machine_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// TestOldHistories: runs of random machines, as they were stored before runs had
// tokens and halts had codes. They are read, written and replayed bit for bit, and
// go on.
func TestOldHistories(t *testing.T) {
	f, err := os.Open("testdata/histories.jsonl.gz")
	must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, err)
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	runs, records := 0, 0
	for lines.Scan() {
		var old struct {
			Definition, Snapshot json.RawMessage
			Records              []json.RawMessage
		}
		must(t, json.Unmarshal(lines.Bytes(), &old))
		d, err := machine.ParseDefinition(old.Definition)
		must(t, err)
		m, err := machine.Compile(d)
		must(t, err)
		runs, records = runs+1, records+len(old.Records)
		oldHistory(t, m, old.Snapshot, old.Records)
	}
	if runs < 39 || records < 1400 || lines.Err() != nil {
		t.Errorf("%d runs with %d records, %v", runs, records, lines.Err())
	}
}

func oldHistory(t *testing.T, m *machine.Machine, snapshot json.RawMessage, history []json.RawMessage) {
	t.Helper()
	s, err := m.DecodeSnapshot(snapshot)
	must(t, err)
	if got := m.EncodeSnapshot(s); string(got) != string(snapshot) {
		t.Errorf("the snapshot\n%s is written as\n%s", snapshot, got)
	}
	var records []*machine.Record
	for _, text := range history {
		r, err := m.DecodeRecord(text)
		must(t, err)
		if got := m.EncodeRecord(r); string(got) != string(text) {
			t.Errorf("the record\n%s is written as\n%s", text, got)
		}
		records = append(records, r)
	}
	got, err := m.Replay(s.Run, s.Seed, records)
	must(t, err)
	if text := m.EncodeSnapshot(got); string(text) != string(snapshot) {
		t.Fatalf("the snapshot\n%s is\n%s by replay", snapshot, text)
	}
	if s.Status == machine.Finished {
		return
	}
	if _, _, _, err := m.Advance(s, machine.Input{Kind: machine.CancelInput, Force: true}, s.Now, nil); err != nil {
		t.Errorf("it does not go on: %v", err)
	}
}
