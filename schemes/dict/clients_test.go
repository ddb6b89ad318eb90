package dict_test

import (
	"net"
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes/dict/dicttest"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/testdata"
)

// TestDict runs the client of dictd.
func TestDict(t *testing.T) {
	s := dicttest.NewServer(testdata.Site(), &dicttest.Options{Users: map[string]string{"ann": "secret"}})
	defer s.Close()
	host, port, _ := net.SplitHostPort(s.Addr)
	for _, x := range []struct{ args, want string }{
		{"ftp", "1 definition found\n\nFrom the folder history [history]:\n\n  ftp\n  ---\n  The oldest of the schemes' protocols"},
		{"-d history ftp", "From the folder history"},
		{"-m -s prefix go", "history:  gopher  gophermap"},
		{"-m -s substring names", "history:  00-names"},
		{"nothing", "No definitions found for"},
		{"-d none ftp", "is not a valid database"},
		{"-s none -m ftp", "is not a valid search strategy"},
		{"-D", " history    the folder history\n"},
		{"-S", " exact      the word itself\n"},
		{"-I", "dicttest"},
		{"-i history", "The files of the folder history."},
		{"-H", "DEFINE database word"},
	} {
		args := append([]string{"-h", host, "-p", port, "-u", "ann", "-k", "secret"}, strings.Fields(x.args)...)
		out, err := lab.Client(t, "dict", args...).CombinedOutput()
		if !strings.Contains(string(out), x.want) {
			t.Errorf("%s: %v, no %q in\n%s", x.args, err, x.want, out)
		}
	}
}

// TestCurl defines, matches and sends a command of its own.
func TestCurl(t *testing.T) {
	s := dicttest.NewServer(testdata.Site(), nil)
	defer s.Close()
	for path, want := range map[string]string{
		"/d:ftp:history":      "151 ftp history \"the folder history\"\r\nftp\r\n---\r\n",
		"/m:go:*:prefix":      "152 3 matches found\r\nroot gophermap\r\nhistory gopher\r\nhistory gophermap\r\n.\r\n250 ok\r\n",
		"/show:strat":         "111 3 strategies available\r\n",
		"/d:nothing:history":  "552 no match\r\n",
		"/d:ftp:no-database:": "550 no such database\r\n",
	} {
		if out, err := lab.Run(t, "curl", "-sS", s.URL+path); !strings.Contains(out, want) || err != nil {
			t.Errorf("%s: %q, %v; want %q", path, out, err, want)
		}
	}
}

func TestDictstringCut(t *testing.T) {
	for _, tt := range []struct{ line, s, rest string }{
		{"", "", ""},
		{`laba "Lab dictionary a"`, "laba", `"Lab dictionary a"`},
		{`"two words" x`, "two words", "x"},
		{`'it"s' x`, `it"s`, "x"},
		{`"a \"b\" \\" x`, `a "b" \`, "x"},
		{`a\ b c`, "a b", "c"},
		{`"" x`, "", "x"},
		{`"open x`, "open x", ""},
		{`a"b c"d e`, "ab cd", "e"}, // RFC 2229 §2.2: a string is words and quoted parts without a blank between
		{"\ta\t b", "a", "b"},
		{`a\`, `a\`, ""},
	} {
		if s, rest := lineproto.CutString(tt.line); s != tt.s || rest != tt.rest {
			t.Errorf("Cut(%q) = %q, %q, want %q, %q", tt.line, s, rest, tt.s, tt.rest)
		}
	}
}

// FuzzDictstring checks that a quoted string is parsed as that string, and does not affect the string after it.
func FuzzDictstring(f *testing.F) {
	f.Add("two words", `it's "so"\`)
	f.Add("", "caf\xc3\xa9")
	f.Fuzz(func(t *testing.T, a, b string) {
		s, rest := lineproto.CutString(lineproto.QuoteString(a) + " " + lineproto.QuoteString(b))
		if s != a {
			t.Fatalf("%q was read back as %q", a, s)
		}
		if s, rest = lineproto.CutString(rest); s != b || rest != "" {
			t.Fatalf("%q after %q was read back as %q, %q", b, a, s, rest)
		}
	})
}
