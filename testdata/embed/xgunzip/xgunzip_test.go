package xgunzip_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"testing"
	"testing/fstest"

	"example.com/embed/xgunzip"
	"example.org/deref/fetch"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/uri"
)

func zipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.Bytes()
}

func TestGunzip(t *testing.T) {
	whole := zipped("hello\n")
	srv := gophertest.NewServer(fstest.MapFS{"a.gz": {Data: whole}, "cut.gz": {Data: whole[:len(whole)-3]}, "plain.gz": {Data: []byte("hello\n")}}, nil)
	defer srv.Close()
	c := fetch.New(append(gopher.Schemes(), xgunzip.Scheme())...)
	defer c.Close()
	for _, tt := range []struct {
		uri, want string
		kind      fetch.Kind
	}{
		{"x-gunzip:" + srv.URL + "/9/a.gz", "hello\n", ""},
		{"x-gunzip:" + srv.URL + "/9/cut.gz", "hello\n", fetch.ErrTruncated},
		{"x-gunzip:" + srv.URL + "/9/plain.gz", "", fetch.ErrDecode},
		{"x-gunzip:" + srv.URL + "/9/none.gz", "", fetch.ErrNotFound},
		{"x-gunzip:x-gunzip:" + srv.URL + "/9/a.gz", "", fetch.ErrRedirect}, // needs Policy.AllowX
		{"x-gunzip:a.gz", "", fetch.ErrRefusedURL},
	} {
		var got []byte
		d, err := c.Get(t.Context(), uri.MustParse(tt.uri), nil)
		if err == nil {
			got, err = io.ReadAll(d.Body)
			d.Body.Close()
		}
		if string(got) != tt.want || tt.kind == "" && err != nil || tt.kind != "" && !errors.Is(err, tt.kind) {
			t.Errorf("%s: got %q, %v, want %q and the kind %q", tt.uri, got, err, tt.want, tt.kind)
		}
	}
}
