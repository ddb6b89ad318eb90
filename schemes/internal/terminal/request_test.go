package terminal

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func TestParseRefuses(t *testing.T) {
	for in, kind := range map[string]fetch.Kind{
		"telnet:":              fetch.ErrRefusedURL, // no host
		"telnet://h/x":         fetch.ErrRefusedURL,
		"telnet://h?x":         fetch.ErrRefusedURL,
		"telnet://-froot@h":    fetch.ErrRefusedURL,
		"telnet://%20%09-f@h/": fetch.ErrRefusedURL, // an option after blanks
		"telnet://u%20-f@h/":   fetch.ErrRefusedURL, // an option as the second word
		"telnet://h/":          "",
		"telnet://u-f@h":       "",
	} {
		if _, err := Parse(uri.MustParse(in), 23); fetch.KindOf(err) != kind {
			t.Errorf("%s: got %v, want kind %q", in, err, kind)
		}
	}
}
