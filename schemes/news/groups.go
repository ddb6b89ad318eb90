package news

import (
	"io"
	"iter"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/lineproto"
)

// Media types of lists (RFC 3977 sections 7.6.3 and 7.4, RFC 6048 section 2.2).
const (
	activeType = "text/x-nntp-active"
	countsType = "text/x-nntp-counts"
	idsType    = "text/x-nntp-message-ids"
)

// maxHeld bounds how much of LIST NEWSGROUPS is held in memory while the groups are read, or of the groups while their articles are.
const maxHeld = 16 << 20

// groups returns a listing of LIST COUNTS, or LIST ACTIVE, with the descriptions of LIST NEWSGROUPS.
func (r *run) groups() (*fetch.Document, error) {
	about, err := r.descriptions()
	if err != nil {
		return nil, err
	}
	entry := func(line string) fetch.Entry { return r.groupEntry(line, about) }
	step, a, err := r.nextReply()
	switch {
	case err != nil:
		return nil, err
	case a.code == 215:
		return r.list(countsType, "a list of newsgroups", entry), nil
	case !unknown(a.code):
		return nil, fail(step, a)
	}
	if _, err := r.do(r.plan.When(ifNoCounts)[0], 215); err != nil {
		return nil, err
	}
	return r.list(activeType, "a list of newsgroups", entry), nil
}

// descriptions reads LIST NEWSGROUPS. It returns nil, nil if the server does not support it.
func (r *run) descriptions() (map[string]string, error) {
	step, a, err := r.nextReply()
	if err != nil || a.code == 480 {
		if err == nil {
			err = fail(step, a)
		}
		return nil, err
	}
	if a.code != 215 {
		return nil, nil
	}
	about, remaining := map[string]string{}, r.heldLimit()
	return about, r.eachLine(func(line string) error {
		if remaining -= len(line); remaining < 0 {
			return fetch.Errorf(fetch.ErrLimit, "the descriptions of the groups are too long")
		}
		if i := strings.IndexAny(line, " \t"); i > 0 {
			about[line[:i]] = mimemail.EncodedWords(strings.TrimSpace(line[i:]))
		}
		return nil
	})
}

// heldLimit returns how much of a list of groups may be held in memory.
func (r *run) heldLimit() int {
	if l := r.env.Limits().Document; l >= 0 {
		return int(min(maxHeld, l))
	}
	return maxHeld
}

// list returns a listing of the text that follows.
func (r *run) list(kind, reason string, entry func(string) fetch.Entry) *fetch.Document {
	d := fetch.NewDocument(&body{text: newText(r.s, r.textEnded)})
	d.Type, d.TypeReason, d.End = kind, reason, fetch.EndTerminated
	d.ListWith(func(in io.Reader) iter.Seq2[fetch.Entry, error] {
		return lineproto.Entries(in, r.env.Limits().Line, entry)
	})
	return d
}

// groupEntry parses "group high low status" or "group high low count status". Without a count, the difference of the numbers is the
// maximum: it includes holes.
func (r *run) groupEntry(line string, about map[string]string) fetch.Entry {
	g, status, ok := parseActive(line)
	u := r.groupURI(g.name)
	if !ok || u.IsZero() {
		return unknownLine(line)
	}
	e := fetch.Entry{URI: u, Kind: fetch.KindGroup, Title: g.name, Size: -1, Attr: map[string][]string{"group": {g.name}}}
	put(e.Attr, "low", strconv.FormatInt(g.low, 10))
	put(e.Attr, "high", strconv.FormatInt(g.high, 10))
	put(e.Attr, "articles", strconv.FormatInt(g.count, 10))
	put(e.Attr, "status", status)
	if d := about[g.name]; d != "-x-" { // QUIRK: leafnode sends "-x-" if there is none
		put(e.Attr, "description", d)
	}
	return e
}

// parseActive parses a line of LIST ACTIVE or LIST COUNTS.
func parseActive(line string) (g group, status string, ok bool) {
	f := strings.Fields(line)
	if len(f) < 3 || !parseNumbers(f[1:], &g.high, &g.low) {
		return g, "", false
	}
	g.name, g.count = f[0], max(0, g.high-g.low+1)
	if len(f) > 3 {
		status = f[min(4, len(f)-1)]
	}
	return g, status, len(f) < 5 || parseNumbers(f[3:], &g.count)
}

// idEntry parses a line of NEWNEWS.
func (r *run) idEntry(line string) fetch.Entry {
	id, ok := cutID(line)
	if !ok {
		return unknownLine(line)
	}
	return fetch.Entry{URI: r.articleURI(id), Kind: fetch.KindMessage, Type: articleType, Title: "<" + id + ">", Size: -1,
		Attr: map[string][]string{"message-id": {"<" + id + ">"}}}
}
