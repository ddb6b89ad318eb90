package warc_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch/warc"
)

// A field that would end its line or replace one of the program's is refused before there is a file.
func TestInfo(t *testing.T) {
	for _, c := range []struct {
		f  warc.Field
		ok bool
	}{
		{warc.Field{Name: "operator", Value: "Anne"}, true},
		{warc.Field{Name: "description", Value: "a=b: Köln\tx"}, true},
		{warc.Field{Name: "operator", Value: "a\r\nsoftware: b"}, false},
		{warc.Field{Name: "operator", Value: "a\rb"}, false},
		{warc.Field{Name: "operator", Value: "a\x00b"}, false},
		{warc.Field{Name: "operator", Value: "\xff"}, false},
		{warc.Field{Name: "operator"}, false},
		{warc.Field{Value: "x"}, false},
		{warc.Field{Name: "a b", Value: "x"}, false},
		{warc.Field{Name: "a\nb", Value: "x"}, false},
		{warc.Field{Name: "a:b", Value: "x"}, false},
		{warc.Field{Name: "Köln", Value: "x"}, false},
		{warc.Field{Name: "Software", Value: "x"}, false},
		{warc.Field{Name: "format", Value: "x"}, false},
		{warc.Field{Name: "conformsTo", Value: "x"}, false},
		{warc.Field{Name: "WARC-Type", Value: "response"}, false},
		{warc.Field{Name: "content-length", Value: "1"}, false},
	} {
		name := filepath.Join(t.TempDir(), "a.warc")
		w, err := warc.Create(name, &warc.Options{Info: []warc.Field{c.f}})
		if err == nil {
			err = w.Close()
		} else if _, serr := os.Stat(name + warc.Unfinished); !errors.Is(serr, fs.ErrNotExist) {
			t.Errorf("%+v: got a file, want none", c.f)
		}
		if (err == nil) != c.ok {
			t.Errorf("%+v: got %v, want ok %t", c.f, err, c.ok)
		}
	}
}
