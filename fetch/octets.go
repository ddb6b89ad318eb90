package fetch

import (
	"encoding/base64"
	"encoding/json"
	"unicode/utf8"
)

// MarshalJSON keeps octets that are no UTF-8 exact instead of replacing them.
func (o Octets) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(o)) {
		return json.Marshal(string(o))
	}
	return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString([]byte(o))})
}
