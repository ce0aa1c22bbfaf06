package store

import "encoding/json"

// EncodeTags gives the tags of a run as stores have them beside it: JSON with the names in
// order; nil for none.
func EncodeTags(tags map[string]string) *string {
	if len(tags) == 0 {
		return nil
	}
	data, err := json.Marshal(tags)
	if err != nil {
		panic(err) // strings can be encoded
	}
	return new(string(data))
}

// DecodeTags reads what EncodeTags has given; nil and nothing are none.
func DecodeTags(text []byte) (map[string]string, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var tags map[string]string
	err := json.Unmarshal(text, &tags)
	return tags, err
}
