package http

import (
	"bytes"
	"fmt"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/schemetest"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

func TestDigestVectors(t *testing.T) {
	rfc7616 := `Digest realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", ` +
		`opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", algorithm=`
	for _, c := range []struct{ challenge, password, cnonce, response string }{
		// RFC 7616 section 3.9.1
		{rfc7616 + "MD5", "Circle of Life", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "8ca523f5e9506fed4657c9700eebdbec"},
		{rfc7616 + "SHA-256", "Circle of Life", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
			"753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"},
		{`Digest Realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"`, "CircleOfLife", "",
			"1949323746fe6a43ef61f9606e7febea"}, // RFC 2069 section 2.4, erratum 749
		{`Digest realm="testrealm@host.com",qop="auth,auth-int",nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"`, "Circle Of Life", "0a4f113b",
			"6629fae49393a05397450978507c4ef1"}, // RFC 2617 section 3.5
		{`Digest realm="r", nonce="n", qop="auth-int"`, "p", "c", "9834efdafb5ae6d6b404dca1218d6696"},
	} {
		list := challenges([]string{c.challenge})
		if len(list) != 1 {
			t.Fatalf("%q: got %d challenges, want 1", c.challenge, len(list))
		}
		got := digest(list[0], fetch.Login{User: "Mufasa", Password: c.password}, "GET", "/dir/index.html", c.cnonce, 1)
		if !strings.Contains(got, `response="`+c.response+`"`) {
			t.Errorf("%s\nanswered by %s\nwant %s", c.challenge, got, c.response)
		}
	}
}

func TestChallenges(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`Basic realm="x"`, "basic realm=x"},
		{`basic REALM=x, charset="UTF-8"`, "basic charset=UTF-8 realm=x"},
		{`Basic realm="a \"quoted\", one", Digest realm="b", nonce="n=,"`, `basic realm=a "quoted", one|digest nonce=n=, realm=b`},
		{`Negotiate, NTLM TlRMTVNT==, Basic realm=""`, "negotiate|ntlm|basic realm="},
		// RFC 9110 section 11.6.1
		{`Newauth realm="apps", type=1, title="Login", Basic realm="simple"`, "newauth realm=apps title=Login type=1|basic realm=simple"},
		{`Basic`, "basic"},
		{`, ,Basic realm=x,`, "basic realm=x"},
		{`realm="x"`, ""},
		{`Basic realm="x`, "basic"},
		{`"`, ""},
	} {
		var got []string
		for _, ch := range challenges([]string{c.in}) {
			s := ch.scheme
			for _, k := range []string{"charset", "nonce", "realm", "title", "type"} {
				if v, ok := ch.params[k]; ok {
					s += " " + k + "=" + v
				}
			}
			got = append(got, s)
		}
		if g := strings.Join(got, "|"); g != c.want {
			t.Errorf("%s: %q, want %q", c.in, g, c.want)
		}
	}
}

func FuzzChallenges(f *testing.F) {
	f.Add(`Basic realm="a \"q\"", Digest nonce=x, NTLM abc==`)
	f.Fuzz(func(t *testing.T, s string) {
		list := challenges([]string{s})
		if len(list) > maxChallenges {
			t.Errorf("got %d challenges, want at most %d", len(list), maxChallenges)
		}
		for _, c := range list {
			if !isToken(c.scheme) {
				t.Errorf("got the scheme %q, want a token", c.scheme)
			}
			v := digest(c, fetch.Login{User: "u\r\n"}, "GET", "/", "c", 1)
			if strings.ContainsAny(v, "\r\n") && !strings.ContainsAny(s, "\r\n") && !strings.Contains(v, "u\r\n") {
				t.Errorf("got %q, want one line", v)
			}
		}
	})
}

func TestQuota(t *testing.T) { synctest.Test(t, quota) }

func quota(t *testing.T) {
	time.Sleep(time.Until(time.Unix(1_700_000_000, 0)))
	for _, c := range []struct {
		field, value, reset string
		want                fetch.Quota
	}{
		{"RateLimit", `"default";r=50;t=30`, "", fetch.Quota{Remaining: 50, Reset: 30 * time.Second}},
		{"RateLimit", `"hour";r=900;t=3000, "burst";r=0;t=7`, "", fetch.Quota{Reset: 7 * time.Second}},
		{"RateLimit", "limit=100, remaining=50, reset=5", "", fetch.Quota{Remaining: 50, Reset: 5 * time.Second}},
		{"RateLimit", `"default";r=50`, "", fetch.Quota{}},
		{"RateLimit", `"default";t=50`, "", fetch.Quota{}},
		{"RateLimit", `"default";r=-1;t=x`, "", fetch.Quota{}},
		{"RateLimit-Remaining", "0", "9", fetch.Quota{Reset: 9 * time.Second}},
		{"X-RateLimit-Remaining", "59", "1700000060", fetch.Quota{Remaining: 59, Reset: time.Minute}},
		{"X-RateLimit-Remaining", "59", "1700000060000", fetch.Quota{Remaining: 59, Reset: time.Minute}},
		{"X-RateLimit-Remaining", "0, 3", "1600000000", fetch.Quota{}}, // past
		{"X-Rate-Limit-Remaining", "x", "1", fetch.Quota{}},
		{"X-RateLimit-Remaining", "1", "", fetch.Quota{}},
	} {
		h := textproto.MIMEHeader{}
		h.Set(c.field, c.value)
		if c.reset != "" {
			h.Set(c.field[:len(c.field)-len("Remaining")]+"Reset", c.reset)
		}
		if got := quotaOf(h); got != c.want {
			t.Errorf("%v: got %v, want %v", h, got, c.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	const date = "Sun, 06 Nov 1994 08:49:37 GMT"
	for _, test := range []struct {
		value, date string
		want        time.Duration
	}{
		{"120", date, 2 * time.Minute},
		{"0", date, 0},
		{"Sun, 06 Nov 1994 08:50:07 GMT", date, 30 * time.Second},
		{"Sunday, 06-Nov-94 08:50:07 GMT", date, 30 * time.Second}, // RFC 9110 section 5.6.7: obsolete forms too
		{"Sun, 06 Nov 1994 08:00:00 GMT", date, 0},                 // past
		{"-5", date, 0},
		{"1e9", date, 0},
		{"99999999999999999999", date, 0},
		{"soon", date, 0},
	} {
		if got := retryAfter(test.value, test.date); got != test.want {
			t.Errorf("%q: got %v, want %v", test.value, got, test.want)
		}
	}
	inAnHour := time.Now().Add(time.Hour).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
	if got := retryAfter(inAnHour, "broken"); got < 59*time.Minute || got > time.Hour {
		t.Errorf("without the server's clock: got %v, want an hour", got)
	}
}

// TestPage checks that the table of statuses is documented.
func TestPage(t *testing.T) { schemetest.Page(t, statuses, Schemes(nil)...) }

// TestFieldOrder checks that frames written in pieces of any length stay unchanged, except for the fields of requests, which get the plan's
// order.
func TestFieldOrder(t *testing.T) {
	long := strings.Repeat("x", 40000) // three frames
	lines := []fetch.Step{{Verb: "GET", Args: []string{"/"}}}
	for _, verb := range []string{"Host:", "User-Agent:", "Accept:", "X-Long:", "Range:"} {
		lines = append(lines, fetch.Step{Verb: verb})
	}
	sent := []string{":method GET", ":path /", "range bytes=1-2", "x-long " + long, "accept text/html", "user-agent deref", "accept */*"}
	want := ":method GET|:path /|user-agent deref|accept text/html|accept */*|x-long " + long + "|range bytes=1-2|"
	for _, size := range []int{1, 7, 9, 4096, 1 << 20} {
		var in bytes.Buffer
		in.WriteString(http2.ClientPreface)
		f := http2.NewFramer(&in, nil)
		f.WriteSettings(http2.Setting{ID: http2.SettingEnablePush})
		var block bytes.Buffer
		enc := hpack.NewEncoder(&block)
		for stream := uint32(1); stream <= 3; stream += 2 {
			block.Reset()
			for _, pair := range sent {
				name, value, _ := strings.Cut(pair, " ")
				enc.WriteField(hpack.HeaderField{Name: name, Value: value})
			}
			b := block.Bytes()
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: b[:100], EndStream: true})
			f.WriteContinuation(stream, false, b[100:16000])
			f.WriteContinuation(stream, true, b[16000:])
			f.WritePing(false, [8]byte{1, 2, 3})
		}
		o, out := newFieldOrder(), []byte(nil)
		o.set(lines)
		for piece := range slices.Chunk(in.Bytes(), size) {
			b, err := o.rewrite(piece)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, b...)
		}
		out, ok := bytes.CutPrefix(out, []byte(http2.ClientPreface))
		if !ok {
			t.Fatalf("in pieces of %d bytes: got %.30q, want the preface first", size, out)
		}
		r := http2.NewFramer(nil, bytes.NewReader(out))
		r.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		got := ""
		for {
			frame, err := r.ReadFrame()
			if err != nil {
				break
			}
			if h, ok := frame.(*http2.MetaHeadersFrame); ok {
				text := ""
				for _, field := range h.Fields {
					text += field.Name + " " + field.Value + "|"
				}
				if text != want || !h.StreamEnded() {
					t.Errorf("in pieces of %d bytes: got the fields %.200q, want %.200q", size, text, want)
				}
			}
			got += fmt.Sprintf("%v %d,", frame.Header().Type, frame.Header().StreamID)
		}
		if want := "SETTINGS 0,HEADERS 1,PING 0,HEADERS 3,PING 0,"; got != want {
			t.Errorf("in pieces of %d bytes: got the frames %s, want %s", size, got, want)
		}
	}
}
