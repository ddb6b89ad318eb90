package news_test

import (
	"strconv"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/schemes/news/newstest"
)

// sparse returns articles of a group, and the numbers of missing ones.
func sparse(there, of int) (list, cancelled []string) {
	for i, a := range many(of) {
		list = append(list, a)
		if i%(of/there) != 0 {
			cancelled = append(cancelled, "lab.many/"+strconv.Itoa(i+1))
		}
	}
	return list, cancelled
}

// TestGaps counts numbers without an article in all kinds of documents.
func TestGaps(t *testing.T) {
	list, cancelled := sparse(20, 200)
	for _, c := range []struct {
		name, u string
		set     map[string][]string
		lacks   []string
		gaps    int64
		most    int // articles and headers that may be requested
	}{
		{"overview", "news:lab.many", nil, nil, 180, 0},
		{"part of one", "nntp:lab.many/2-40", nil, nil, 36, 0},
		{"headers, by LISTGROUP", "news:lab.many", nil, []string{"OVER", "XOVER"}, 180, 20},
		{"headers, one by one", "news:lab.many", nil, []string{"OVER", "XOVER", "LISTGROUP"}, 180, 200},
		{"mailbox, by LISTGROUP", "news:lab.many", map[string][]string{"news.view": {"mbox"}}, nil, 180, 20},
		{"mailbox, one by one", "news:lab.many", map[string][]string{"news.view": {"mbox"}}, []string{"LISTGROUP"}, 180, 200},
		{"mailbox of a few", "nntp:lab.many/2-40", map[string][]string{"news.view": {"mbox"}}, nil, 36, 39},
		{"mailbox since, by HDR", "news:lab.many", map[string][]string{"news.view": {"mbox"}, "news.since": {"1994-12-20"}}, nil, 180, 20},
		{"mailbox since a later date", "news:lab.many", map[string][]string{"news.view": {"mbox"}, "news.since": {"1995-12-20"}}, nil,
			180, 0},
		{"no HDR", "news:lab.many", map[string][]string{"news.view": {"mbox"}, "news.since": {"1995-12-20"}}, []string{"HDR", "XHDR"},
			180, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := server(t, &newstest.Options{Articles: list, Cancelled: cancelled, Lacks: c.lacks})
			d, body, err := get(t, client(t, s), c.u, &fetch.Options{Set: c.set})
			if err != nil || d.Missing != c.gaps {
				t.Errorf("got %v, %d gaps in %d bytes, want d.Missing %v", err, d.Missing, len(body), c.gaps)
			}
			if strings.Contains(strings.Join(c.set["news.since"], ""), "1995") && body != "" {
				t.Errorf("got %.80q, want nothing since 1995", body)
			}
			n := 0
			for _, line := range s.Transcript() {
				if strings.HasPrefix(line, "ARTICLE ") || strings.HasPrefix(line, "HEAD ") {
					n++
				}
			}
			if n > c.most {
				t.Errorf("got %d commands, want at most %d", n, c.most)
			}
		})
	}
}

func TestWildmat(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{ // RFC 3977 section 4.4
		{"a*,!*b,*c*", "aaa", true},
		{"a*,!*b,*c*", "abb", false},
		{"a*,!*b,*c*", "ccb", true},
		{"a*,!*b,*c*", "xxx", false},
		{"a*,c*,!*b", "aaa", true},
		{"a*,c*,!*b", "ccb", false},
		{"?a*,??a*,!*b", "baa", true},
		{"?a*,??a*,!*b", "caab", false},
		{"*", "", true},
		{"comp.*", "comp", false},
		{"comp.lang.c++", "comp.lang.c++", true},
		{"*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
	} {
		if got := lineproto.MatchWildmat(c.pattern, c.name); got != c.want {
			t.Errorf("%q, %q: got %v, want %v", c.pattern, c.name, got, c.want)
		}
	}
}
