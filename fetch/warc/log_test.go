package warc_test

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/deref/fetch/warc"
)

// The log is the last record of each file and has a line for each request, every hop of a redirect and every failure, without secrets.
func TestLog(t *testing.T) {
	t.Parallel()
	page := web(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/one":
			http.Redirect(w, r, "/two", http.StatusFound)
		case "/missing":
			http.Error(w, "no S3cr3t-Pa55", http.StatusNotFound)
		default:
			io.WriteString(w, "a document\n")
		}
	})
	dir := t.TempDir()
	uris := []string{strings.Replace(page, "http://", "http://anne:S3cr3t-Pa55@", 1) + "/one", page + "/missing", ftpSite(t) + "/pub/nonesuch", "gopher://gopher.invalid/"}
	capture(t, filepath.Join(dir, "a.warc"), &warc.Options{Log: true}, nil, uris...)
	all := records(t, filepath.Join(dir, "a.warc"))
	last := all[len(all)-1]
	if last.Type() != "metadata" || last.MediaType() != warc.LogType || last.Target() != "urn:log:a.warc" || last.Fields.Get("WARC-Block-Digest") == "" {
		t.Fatalf("got %v, want the log as the last record", last.Fields)
	}
	lines := strings.Split(strings.TrimSuffix(last.block, "\n"), "\n")
	for i, want := range []string{
		`begin\tseconds\tresult\tstatus\tbytes\turi\terror`,
		`DATE\t\d+\.\d{3}\twhole\t302\t\d+\thttp://.*/one\t`,
		`DATE\t\d+\.\d{3}\twhole\t200\t11\thttp://[^@]*/two\t`,
		`DATE\t\d+\.\d{3}\tnotfound\t404\t15\thttp://[^@]*/missing\t.*404.*`,
		`DATE\t\d+\.\d{3}\tnotfound\t-\t0\tftp://.*/pub/nonesuch\tRETR nonesuch: 550.*`,
		`DATE\t\d+\.\d{3}\tdns\t-\t0\tgopher://gopher.invalid/\t.+`,
	} {
		want = "^" + strings.ReplaceAll(want, "DATE", `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z`) + "$"
		if i >= len(lines) || !regexp.MustCompile(want).MatchString(lines[i]) {
			t.Errorf("line %d: got %q, want %s", i, lines[min(i, len(lines)-1)], want)
		}
	}
	if len(lines) != 6 || strings.Contains(last.block, "S3cr3t") {
		t.Errorf("got %d lines, want 6 without the password:\n%s", len(lines), last.block)
	}
}

// Each file of a series has a serial number, a warcinfo record, and the log of its own requests.
func TestSeries(t *testing.T) {
	t.Parallel()
	page := web(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "the document at "+r.URL.Path) })
	dir := t.TempDir()
	capture(t, filepath.Join(dir, "a.warc.gz"), &warc.Options{Log: true, Size: 1, Info: []warc.Field{{Name: "operator", Value: "Anne"}}}, nil, page+"/0", page+"/1", page+"/2")
	for i, name := range []string{"a-00000.warc.gz", "a-00001.warc.gz", "a-00002.warc.gz"} {
		all := records(t, filepath.Join(dir, name))
		if got := types(all); got != "warcinfo response request metadata" {
			t.Fatalf("%s: got %s, want warcinfo, the exchange and the log", name, got)
		}
		if got := all[0].Fields.Get("WARC-Filename"); got != name || !strings.Contains(all[0].block, "operator: Anne\r\n") {
			t.Errorf("%s: got the description of %s, %q", name, got, all[0].block)
		}
		if got, want := all[3].block, page+"/"+string(rune('0'+i))+"\t"; strings.Count(got, "http://") != 1 || !strings.Contains(got, want) || all[3].Target() != "urn:log:"+name {
			t.Errorf("%s: got %s %q, want the one request of %s", name, all[3].Target(), got, want)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 3 {
		t.Errorf("got %d files, want 3", len(left))
	}
}

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
