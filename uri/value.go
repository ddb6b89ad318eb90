package uri

import (
	"encoding"
	"log/slog"
	"unicode/utf8"
)

// AppendText implements encoding.TextAppender. It appends the result of MarshalText.
func (u URI) AppendText(b []byte) ([]byte, error) { return append(b, u.text()...), nil }

// MarshalText implements encoding.TextMarshaler, so a URI is a string in JSON and can be a key of a map. It returns the result of String, with
// the password, so that nothing is lost. If that is not UTF-8, which JSON could not hold, it returns ASCII.
func (u URI) MarshalText() ([]byte, error) { return []byte(u.text()), nil }

func (u URI) text() string {
	if utf8.ValidString(u.s) {
		return u.s
	}
	return u.ASCII().s
}

// UnmarshalText implements encoding.TextUnmarshaler. It calls Parse.
func (u *URI) UnmarshalText(text []byte) error { return u.Set(string(text)) }

// Set implements flag.Value. It calls Parse, and leaves u unchanged if s is not a URI.
func (u *URI) Set(s string) error {
	v, err := Parse(s)
	if err == nil {
		*u = v
	}
	return err
}

// LogValue implements slog.LogValuer. It returns u without its user and password: in some schemes the user name is the secret
// (Rules.SecretUser), and the logger does not know the scheme.
func (u URI) LogValue() slog.Value { return slog.StringValue(u.Redacted(&Rules{SecretUser: true})) }

var (
	_ slog.LogValuer           = URI{}
	_ encoding.TextAppender    = URI{}
	_ encoding.TextMarshaler   = URI{}
	_ encoding.TextUnmarshaler = (*URI)(nil)
)
