package diag

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// sarifSchemaFile compiles the schema of SARIF 2.1.0, with its formats.
func sarifSchemaFile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile(filepath.Join("testdata", "sarif-schema-2.1.0.json"))
	must(t, err)
	return schema
}

// TestSARIFIsValid holds logs of nothing and of every kind of finding against
// the official schema, and shows that the schema refuses what is wrong.
func TestSARIFIsValid(t *testing.T) {
	schema := sarifSchemaFile(t)
	rules := []RuleInfo{{ID: "syntax", Summary: "s", HelpMarkdown: "# syntax\n\nText.\n", Group: "Names", Severity: Error}}
	validate := func(text []byte) error {
		log, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return err
		}
		return schema.Validate(log)
	}
	var b bytes.Buffer
	for _, list := range []List{nil, findings(t)} {
		b.Reset()
		must(t, WriteSARIF(&b, list, sources, SARIFOptions{Version: "v0.1.0", Rules: rules}))
		if err := validate(b.Bytes()); err != nil {
			t.Errorf("%d findings: %v\n%s", len(list), err, b.Bytes())
		}
	}
	for old, wrong := range map[string]string{
		`"level": "error"`:                 `"level": "hint"`,
		`"uri": "review.fsm"`:              `"uri": "%zz"`,
		`"columnKind": "utf16CodeUnits"`:   `"columns": "utf16CodeUnits"`,
		`"startLine": 10`:                  `"startLine": 0`,
		`"ruleId": "unbounded-loop",`:      `"ruleId": 7,`,
		`"version": "2.1.0",` + "\n  \"ru": `"version": "2.2.0",` + "\n  \"ru",
	} {
		if !bytes.Contains(b.Bytes(), []byte(old)) {
			t.Errorf("the log has no %s", old)
		}
		if validate(bytes.Replace(b.Bytes(), []byte(old), []byte(wrong), 1)) == nil {
			t.Errorf("%s passes for %s", wrong, old)
		}
	}
}
