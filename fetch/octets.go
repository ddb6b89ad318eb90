package fetch

import (
	"encoding/base64"
	"encoding/json"
	"unicode/utf8"
)

// MarshalJSON encodes bytes that are not UTF-8 as base64 instead of replacing them.
func (o Octets) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(o)) {
		return json.Marshal(string(o))
	}
	return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString([]byte(o))})
}

// UnmarshalJSON reads both forms.
func (o *Octets) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var coded struct{ Base64 []byte }
		err := json.Unmarshal(b, &coded)
		*o = Octets(coded.Base64)
		return err
	}
	return json.Unmarshal(b, (*string)(o))
}
