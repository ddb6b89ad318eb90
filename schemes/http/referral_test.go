package http_test

import (
	"strings"
	"testing"
)

func TestReferrals(t *testing.T) {
	for _, c := range []struct{ name, answer, want string }{
		{"relative", "HTTP/1.1 302 Found\r\nLocation: ../c d?e#f\r\n\r\n", "/c%20d?e#f"},
		{"twice the same", "HTTP/1.1 302 Found\r\nLocation: /x\r\nLocation: /x\r\n\r\n", "/x"},
		{"empty and another", "HTTP/1.1 302 Found\r\nLocation: \r\nLocation: /x\r\n\r\n", "/x"},
		{"unknown 3xx", "HTTP/1.1 399 Odd\r\nLocation: /x\r\n\r\n", "/x"},
		{"choices",
			"HTTP/1.1 300 Multiple Choices\r\nAlternates: {\"p.1\" 0.5 {type text/plain}}, {\"p.2\" 0.9 {type text/html} {language de}}\r\nLink: </p3>; rel=\"alternate\", </up>; rel=up\r\n\r\n",
			"/a/p.2 /a/p.1 /p3"},
		{"preferred choice", "HTTP/1.1 300 Multiple Choices\r\nLocation: /best\r\nAlternates: {\"p\" 1}\r\n\r\n", "/best /a/p"},
		{"choices without a list", "HTTP/1.1 300 Multiple Choices\r\n\r\n", ""},
		{"refresh", ok + "Refresh: 5; URL='/there'\r\n\r\n", "/there"},
		{"refresh without url=", ok + "Refresh: 0;there\r\n\r\n", "/a/there"},
		{"refresh after a comma", ok + "Refresh: 0, url=there\r\n\r\n", "/a/there"},
		{"refresh after a blank", ok + "Refresh: 0 url=there\r\n\r\n", "/a/there"},
		{"refresh of no number", ok + "Refresh: x; url=there\r\n\r\n", ""},
		{"slow refresh", ok + "Refresh: 300; url=/next\r\n\r\n", ""},
		{"refresh of itself", ok + "Refresh: 1; url=b\r\n\r\n", ""},
		{"reload", ok + "Refresh: 1\r\n\r\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := script(t, c.answer)
			cl := client(t)
			cl.Policy.NoFollow = true
			d, _, err := get(t, cl, "http://"+s.Addr()+"/a/b", nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range d.Referrals {
				got = append(got, strings.TrimPrefix(r.URI.String(), "http://"+s.Addr()))
			}
			if g := strings.Join(got, " "); g != c.want {
				t.Errorf("%q, want %q", g, c.want)
			}
		})
	}
}

func TestBaseAndType(t *testing.T) {
	s := script(t, ok+"Content-Location: ../self.html\r\nContent-Length: 6\r\n\r\n%!PS-1", ok+"Content-Type: text\r\nContent-Length: 0\r\n\r\n", ok+"Content-Type: TEXT/Plain ; charset=x\r\nContent-Length: 0\r\n\r\n")
	c := client(t)
	d, _, err := get(t, c, "http://"+s.Addr()+"/a/b.txt", nil)
	if err != nil || d.Base.String() != "http://"+s.Addr()+"/self.html" || d.Type != "application/postscript" {
		t.Errorf("got %v, %+v, want base /self.html, application/postscript", err, d)
	}
	if d, _, err = get(t, c, "http://"+s.Addr()+"/b.gif", nil); err != nil || d.Type != "image/gif" || d.Base != d.URI {
		t.Errorf("got %v, %+v, want image/gif, and the URI as base", err, d)
	}
	if d, _, err = get(t, c, "http://"+s.Addr()+"/b.gif", nil); err != nil || d.Type != "text/plain" {
		t.Errorf("got %v, %+v, want text/plain", err, d)
	}
}
