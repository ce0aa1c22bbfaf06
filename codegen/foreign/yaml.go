package foreign

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// ReadYAML reads YAML, whatever the text begins with: as many texts with machines are YAML as are JSON. Tags such as
// !Sub and !GetAtt, which templates have, leave what they stand before as it is.
func ReadYAML(text []byte) (*Value, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, &Error{Message: "this is not YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	r := &yamlReader{}
	return r.value(&root, 0)
}

type yamlReader struct{ values int }

func (r *yamlReader) value(n *yaml.Node, depth int) (*Value, error) {
	v := &Value{Line: n.Line, Column: n.Column}
	if r.values++; depth > MaxDepth || r.values > MaxValues {
		return nil, v.Errorf("more than %d levels of values, or more than %d values", MaxDepth, MaxValues)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return r.value(n.Content[0], depth)
	case yaml.AliasNode:
		return r.value(n.Alias, depth+1)
	case yaml.ScalarNode:
		scalar(v, n)
	case yaml.SequenceNode:
		v.Kind = Array
		for _, c := range n.Content {
			item, err := r.value(c, depth+1)
			if err != nil {
				return nil, err
			}
			v.Items = append(v.Items, item)
		}
	case yaml.MappingNode:
		v.Kind = Object
		for i := 0; i+1 < len(n.Content); i += 2 {
			item, err := r.value(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			v.Members = append(v.Members, Member{n.Content[i].Value, item})
		}
	}
	return v, nil
}

func scalar(v *Value, n *yaml.Node) {
	v.Kind, v.Text = String, n.Value
	var decoded any
	switch n.ShortTag() {
	case "!!null":
		v.Kind, v.Text = Null, ""
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			v.Kind, v.Text = Bool, map[bool]string{true: "true", false: "false"}[b]
		}
	case "!!int", "!!float":
		if n.Decode(&decoded) == nil && number(n.Value) {
			v.Kind = Number
		}
	}
}

// number reports whether s is a number of JSON; what YAML has beyond that stays text.
func number(s string) bool {
	return s != "" && strings.Trim(s, "-0123456789.eE+") == "" && !strings.HasPrefix(s, "+") && !strings.HasPrefix(s, ".") && !strings.HasSuffix(s, ".")
}
