package news_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// TestArchivist does what archivists of Usenet do, with the servers that they have: INN supports HDR, LISTGROUP with ranges and LIST
// COUNTS and has NEWNEWS disabled; leafnode supports none of these, except HDR, which it answers as XHDR.
func TestArchivist(t *testing.T) {
	for _, c := range []struct {
		server, groups string
		gaps           int64 // numbers of lab.one without an article
	}{
		{"inn", "text/x-nntp-counts", 1},
		{"leafnode", "text/x-nntp-active", 0},
	} {
		t.Run(c.server, func(t *testing.T) {
			addr := realServer(t, c.server)
			client := realClient(t, addr)
			if d, body, err := patiently(t, client, "news:lab.*", nil); err != nil || d.Type != c.groups ||
				!strings.Contains(body, "lab.many ") {
				t.Errorf("groups: got %v %q, want d.Type %v, with %q", err, body, c.groups, "lab.many ")
			}
			if d, _, err := patiently(t, client, "news:lab.one", nil); err != nil || d.Missing != c.gaps {
				t.Errorf("overview: got %v %d gaps, want d.Missing %v", err, d.Missing, c.gaps)
			}
			d, box, err := patiently(t, client, "news:lab.one", set("news.view", "mbox"))
			if err != nil || len(messagesOf(t, box)) != 4 || d.Missing != c.gaps {
				t.Errorf("mailbox: got %v, %d gaps, want len(messagesOf(t, box)) 4, d.Missing %v", err, d.Missing, c.gaps)
			}
			realResume(t, client, box)
			realSince(t, client)
			realThread(t, client)
			if _, body, err := patiently(t, client, "news:related@lab.test#part2", &fetch.Options{Part: true}); err != nil ||
				!strings.HasPrefix(body, "GIF89a") {
				t.Errorf("a part: got %v %q, want beginning with %q", err, body, "GIF89a")
			}
		})
	}
}

// realResume continues a mailbox after its long article.
func realResume(t *testing.T, c *fetch.Client, box string) {
	var sent []string
	at := len(box) - 10
	o := set("news.view", "mbox")
	o.Range, o.Have = fetch.Range{From: int64(at)}, strings.NewReader(box[:at])
	o.Trace = func(e fetch.Event) {
		if e.Step != nil && e.Step.Verb == "ARTICLE" {
			sent = append(sent, e.Step.Line())
		}
	}
	if d, rest, err := patiently(t, c, "news:lab.one", o); err != nil || rest != box[at:] || d.Offset != int64(at) || len(sent) != 1 {
		t.Errorf("resumed: got %v, %d bytes, %q, want %q, d.Offset %v, len(sent) 1", err, len(rest), sent, box[at:], int64(at))
	}
}

func realSince(t *testing.T, c *fetch.Client) {
	list := realEntries(t, c, "news:lab.t*", set("news.since", "1990-01-01"))
	if got := uris(list); !slices.Contains(got, "news:reply@lab.test") || !slices.Contains(got, "news:deep@lab.test") ||
		len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(got) {
		t.Errorf("since: got %v, want reply@lab.test and deep@lab.test, each once", got)
	}
	if list := realEntries(t, c, "news:lab.o*", set("news.since", "2100-01-01")); len(list) != 0 {
		t.Errorf("of the future: got %v, want len(list) 0", uris(list))
	}
	o := &fetch.Options{Set: map[string][]string{"news.since": {"2100-01-01"}, "news.view": {"mbox"}}}
	if _, box, err := patiently(t, c, "news:lab.one", o); err != nil || box != "" {
		t.Errorf("a mailbox of the future: got %v %q, want %q", err, box, "")
	}
}

// realThread reads the thread of an answer in another group, one of whose ancestors is gone.
func realThread(t *testing.T, c *fetch.Client) {
	d, err := c.Get(context.Background(), uri.MustParse("news:reply@lab.test"), set("news.thread", "yes"))
	if err != nil {
		t.Error(err)
		return
	}
	defer d.Body.Close()
	var got []string
	for e, err := range d.Entries {
		if err != nil {
			t.Error(err)
		}
		got = append(got, e.URI.String()+" "+strings.Join(e.Attr["depth"], ""))
	}
	if slices.Sort(got); !slices.Equal(got, []string{"news:reply@lab.test 1", "news:simple@lab.test 0"}) || d.Missing != 1 {
		t.Errorf("thread: got %q, %d gaps, want %q, d.Missing 1",
			got, d.Missing, []string{"news:reply@lab.test 1", "news:simple@lab.test 0"})
	}
}
