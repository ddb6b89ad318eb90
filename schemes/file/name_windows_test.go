package file

import (
	"errors"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func TestNative(t *testing.T) {
	for _, tt := range []struct{ path, want string }{
		{"/C:/a/b c.txt", `C:\a\b c.txt`},
		{"/c:/", `c:\`},
		{"/c:", `c:\`},
		{"/C:/a/../../b/./c/", `C:\b\c`},
		{"/C:/a//b", `C:\a\b`},
		{"/a/b", `\a\b`},
		{"/", `\`},
	} {
		if got, err := native(tt.path); err != nil || got != tt.want {
			t.Errorf("%s: got %s, %v, want %s", tt.path, got, err, tt.want)
		}
	}
}

// TestDangerousPathsAreRefused checks URIs that would contact another host, open a device, or read another file than they name.
func TestDangerousPathsAreRefused(t *testing.T) {
	for _, s := range []string{
		"file:////host.example/share/x",
		"file://localhost//host.example/share/x",
		"file:////./pipe/x",
		"file:////%3F/C:/x",
		"file:///%5C%5Chost.example/share/x",
		"file:///%5Chost.example/share/x",
		"file:///C:/a%5C..%5Cb",
		"file:///C:/a.txt:stream",
		"file:///C:/NUL",
		"file:///C:/a/con",
		"file:///COM1",
		"file:///C:x",
		"file:///CC:/x",
	} {
		if p, err := fetch.New(Scheme()).Plan(uri.MustParse(s), nil); !errors.Is(err, fetch.ErrRefusedURL) {
			t.Errorf("%s: got %+v, %v, want %s", s, p, err, fetch.ErrRefusedURL)
		}
	}
}
