package uri

import (
	"strconv"
	"strings"
	"testing"
)

func TestGrammar(t *testing.T) {
	for _, good := range []string{
		"", "http://u:p@[::1]:80/a;b=c/(d)'!*,$&+?e/f?g=h:i@j#k/l?m", "mailto:a%20b@c", "a/b:c", "./a:b", "//h/x", "urn:a:b:c",
		"http://h/%5B%7C%23",
		"data:,x", "wais://h/db/TEXT/3=a;", "?q:r", "#a:b", "url:http://h/",
	} {
		if err := Grammar(good); err != nil {
			t.Errorf("%q: got %v, want none", good, err)
		}
	}
	for _, c := range []struct {
		in  string
		pos int
	}{
		{"http://h/a b", 10}, {"http://h/?a b", 11}, {"http://h/#a b", 11}, {"mailto:a b@c", 8}, {"a b", 1},
		{"http://h/a|b", 10}, {`http://h/"`, 9}, {"http://h/<", 9}, {"http://h/>", 9}, {`http://h/\`, 9}, {"http://h/^", 9}, {"http://h/`", 9},
		{"http://h/{}", 9},
		{"http://h/\u00e9", 9}, {"http://\u00e9/", 7}, {"http://h/\xff", 9},
		{"http://h/[a]", 9}, {"http://[::1]/]", 13}, {"http://u[@h/", 8}, {"http://h/#a#b", 11}, {"http://a@b@c/", 8}, {"1a:b/c", 2},
		{"<URL:http://h/>", 0}, {"http://h/%", 9},
	} {
		err := Grammar(c.in)
		if err == nil || !strings.HasSuffix(err.Error(), " at byte "+strconv.Itoa(c.pos)) {
			t.Errorf("%q: got %v, want an error at byte %d", c.in, err, c.pos)
		}
	}
}
