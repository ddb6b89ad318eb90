package render

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

func parsed(t *testing.T, template string, own ...string) *WriteOut {
	t.Helper()
	w, err := ParseWriteOut(template, own...)
	if err != nil {
		t.Fatalf("%q: got %v, want no error", template, err)
	}
	return w
}

func written(w *WriteOut, i Info, more map[string]string) string {
	var b strings.Builder
	w.Write(&b, i, more)
	return b.String()
}

func TestWriteOut(t *testing.T) {
	size := int64(12)
	i := Info{URI: "http://h/a", FinalURI: "http://h/b", Type: "text/plain", Size: &size, Time: 0.25, Connections: 2,
		Header:    Header{"X-Odd": {"a\x1b[0m", "b"}},
		Referrals: []Referral{{"http://h/b", "301", true}, {"ftp://h/c", "302", false}}, Error: &Failure{Class: "notfound", Message: "no\x1b[2J"}}
	for _, c := range []struct{ template, want string }{
		{"", ""},
		{"plain", "plain"},
		{`%{uri} %{size}\n`, "http://h/a 12\n"},
		{`%{url_effective}\t%{content_type} %{type}`, "http://h/b\ttext/plain text/plain"},
		{"100%% %x 5%", "100% %x 5%"},
		{`\\n\q\`, `\n\q\`},
		{"%{time_total}", "0.250000"},
		{"%{num_redirects} %{redirect_url} %{num_connects}", "1 ftp://h/c 2"},
		{"%{class}: %{errormsg}", `notfound: no\x1b[2J`}, // control sequences of the server are escaped
		{"<%{modified}%{hint}>", "<>"},
		{"%{exitcode}", "7"},
		{"%header{x-odd}|%header{X-None}|%headers", `a\x1b[0m, b||%headers`},
		{"%{header_json}", `{"X-Odd":["a\u001b[0m","b"]}`},
	} {
		if got := written(parsed(t, c.template, "exitcode"), i, map[string]string{"exitcode": "7"}); got != c.want {
			t.Errorf("%q: got %q, want %q", c.template, got, c.want)
		}
	}
}

// TestWriteOutContentType: %{content_type} has the parameters that the server sent. If the type is not the server's, it equals %{type}.
func TestWriteOutContentType(t *testing.T) {
	header := Header{"Content-Type": {"Text/HTML; charset=utf-8"}}
	for _, c := range []struct {
		info Info
		want string
	}{
		{Info{Type: "text/html", TypeReason: "Content-Type", Header: header}, "Text/HTML; charset=utf-8 text/html"},
		{Info{Type: "message/rfc822", TypeReason: "a message", Header: header}, "message/rfc822 message/rfc822"}, // of a message, its text's
		{Info{Type: "text/plain", TypeReason: "suffix .txt"}, "text/plain text/plain"},
		{Info{}, " "},
	} {
		if got := written(parsed(t, "%{content_type} %{type}"), c.info, nil); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.info, got, c.want)
		}
	}
}

func TestWriteOutRefuses(t *testing.T) {
	for _, s := range []string{"%{uri", "%header{a", "%header{}"} {
		if _, err := ParseWriteOut(s); err == nil {
			t.Errorf("%q: got no error, want one", s)
		}
	}
}

// TestWriteOutReportsUnknownVariables: they are empty.
func TestWriteOutReportsUnknownVariables(t *testing.T) {
	w := parsed(t, "a%{nonesuch}b%{}c%{exitcode}d%{nonesuch}")
	if got, want := fmt.Sprintf("%q", w.Unknown()), `["nonesuch" "" "exitcode"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := written(w, Info{}, nil); got != "abcd" {
		t.Errorf("got %q, want abcd", got)
	}
}

// TestWriteOutChoosesItsOutput: what follows %{stderr} and %{onerror}.
func TestWriteOutChoosesItsOutput(t *testing.T) {
	w := parsed(t, "a%{stderr}b%{stdout}c%{onerror}d")
	for _, c := range []struct {
		info Info
		want string
	}{{Info{}, "ac b"}, {Info{Error: &Failure{}}, "acd b"}} {
		var errors strings.Builder
		w.Errors = &errors
		if got := written(w, c.info, nil) + " " + errors.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestWriteOutJSON: %{json} is an object with curl's names.
func TestWriteOutJSON(t *testing.T) {
	size := int64(10)
	text := written(parsed(t, "%{json}"), Info{URI: `u"`, Status: 200, Size: &size, Time: 2, Remote: netip.MustParseAddrPort("192.0.2.1:80")},
		map[string]string{"exitcode": "7"})
	var got map[string]any
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for name, want := range map[string]any{"url": `u"`, "http_code": 200.0, "exitcode": 7.0, "speed_download": 5.0, "remote_ip": "192.0.2.1", "remote_port": 80.0, "errormsg": nil} {
		if value, ok := got[name]; !ok || value != want {
			t.Errorf("%s: got %v, want %v", name, value, want)
		}
	}
}

// TestWriteOutKnowsItsVariables: each variable has a value.
func TestWriteOutKnowsItsVariables(t *testing.T) {
	size := int64(1)
	i := Info{URI: "u", FinalURI: "f", Scheme: "s", Type: "t", TypeReason: "r", Charset: "koi8-r", CharsetHow: "guess", State: "modified", Size: &size, Modified: "m", Precision: "second", Zone: "unknown", End: "e", SHA256: "sum",
		Path: "p", Gaps: 1,
		Time: 1, Connections: 1, Offset: 1, Protocol: "HTTP/1.1", Status: 200, Reason: "OK", Search: "w", Fragment: "frag",
		Referrals: []Referral{{"to", "why", false}}, Method: "GET",
		Remote: netip.MustParseAddrPort("192.0.2.1:80"), Local: netip.MustParseAddrPort("192.0.2.2:1024"), Error: &Failure{Class: "c", Message: "m", Hint: "h", Pending: "p"}}
	values := i.values(nil)
	for _, name := range Variables() {
		if values[name] == "" && !slices.Contains([]string{"json", "stdout", "stderr", "onerror"}, name) { // these are not values
			t.Errorf("%s is empty, want a value", name)
		}
	}
}

func FuzzWriteOut(f *testing.F) {
	f.Add(`%{uri}\n%%`)
	f.Fuzz(func(t *testing.T, s string) {
		w, err := ParseWriteOut(s)
		if err != nil {
			return
		}
		var b strings.Builder
		if w.Write(&b, Info{}, nil); b.Len() > len(s)+2000*strings.Count(s, "%{") {
			t.Errorf("%q: got %q, want no more than the template and empty values", s, b.String())
		}
	})
}
