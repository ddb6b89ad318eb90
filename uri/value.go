package uri

import (
	"encoding"
	"log/slog"
)

// AppendText implements encoding.TextAppender. It appends the result of String.
func (u URI) AppendText(b []byte) ([]byte, error) { return append(b, u.s...), nil }

// MarshalText implements encoding.TextMarshaler, so a URI is a string in JSON and can be a key of a map. It returns the result of String, with
// the password, so that nothing is lost.
func (u URI) MarshalText() ([]byte, error) { return []byte(u.s), nil }

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
