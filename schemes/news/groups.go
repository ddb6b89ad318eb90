package news

import (
	"io"
	"iter"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/mailtext"
)

// Media types of lists: RFC 3977 sections 7.6.3 and 7.4.
const (
	activeType = "text/x-nntp-active"
	idsType    = "text/x-nntp-message-ids"
)

// maxDescriptions bounds what is held of LIST NEWSGROUPS while LIST ACTIVE is read.
const maxDescriptions = 16 << 20

// groups makes a listing of LIST ACTIVE, with the descriptions of LIST NEWSGROUPS where there are any; or of NEWNEWS.
func (r *run) groups() (*fetch.Document, error) {
	if !r.since.IsZero() {
		return r.list(idsType, "articles since a date", r.idEntry)
	}
	about, err := r.descriptions()
	if err != nil {
		return nil, err
	}
	return r.list(activeType, "a list of newsgroups", func(line string) fetch.Entry { return r.groupEntry(line, about) })
}

// descriptions hears LIST NEWSGROUPS; a server without them has groups all the same.
func (r *run) descriptions() (map[string]string, error) {
	step, a, err := r.hear()
	if err != nil || a.code == 480 {
		if err == nil {
			err = fail(step, a)
		}
		return nil, err
	}
	if a.code != 215 {
		return nil, nil
	}
	about, size, most := map[string]string{}, 0, maxDescriptions
	if l := r.env.Limits().Document; l >= 0 {
		most = int(min(int64(most), l))
	}
	for e, err := range linesOf(&body{text: newText(r.s.wire, nil)}, r.env.Limits().Line, func(line string) fetch.Entry { return fetch.Entry{Title: line} }) {
		if err != nil {
			return nil, r.end(err)
		}
		if size += len(e.Title); size > most {
			return nil, r.end(fetch.Errorf(fetch.ErrLimit, "the descriptions of the groups are longer than %d octets", most))
		}
		if i := strings.IndexAny(e.Title, " \t"); i > 0 {
			about[e.Title[:i]] = mailtext.Words(strings.TrimSpace(e.Title[i:]))
		}
	}
	return about, nil
}

// list makes a listing of the text behind a reply.
func (r *run) list(kind, reason string, entry func(string) fetch.Entry) (*fetch.Document, error) {
	step, a, err := r.hear()
	if err != nil {
		return nil, err
	}
	if a.class() != 2 {
		return nil, fail(step, a)
	}
	d := fetch.NewDocument(&body{text: newText(r.s.wire, r.over)})
	d.Type, d.TypeReason, d.End = kind, reason, fetch.EndTerminated
	d.ListWith(func(in io.Reader) iter.Seq2[fetch.Entry, error] { return linesOf(in, r.env.Limits().Line, entry) })
	return d, nil
}

// groupEntry reads "group high low status". Their difference is how many articles there are at most: holes are not counted.
func (r *run) groupEntry(line string, about map[string]string) fetch.Entry {
	f := strings.Fields(line)
	if len(f) < 3 {
		return fetch.Entry{Kind: fetch.KindUnknown, Title: line, Size: -1}
	}
	high, err1 := strconv.ParseInt(f[1], 10, 64)
	low, err2 := strconv.ParseInt(f[2], 10, 64)
	u := r.groupURI(f[0])
	if err1 != nil || err2 != nil || u.IsZero() {
		return fetch.Entry{Kind: fetch.KindUnknown, Title: line, Size: -1}
	}
	e := fetch.Entry{URI: u, Kind: fetch.KindGroup, Title: f[0], Size: -1, Attr: map[string][]string{"group": {f[0]}}}
	put(e.Attr, "low", strconv.FormatInt(low, 10))
	put(e.Attr, "high", strconv.FormatInt(high, 10))
	put(e.Attr, "articles", strconv.FormatInt(max(0, high-low+1), 10))
	if len(f) > 3 {
		put(e.Attr, "status", f[3])
	}
	if d := about[f[0]]; d != "" && d != "-x-" { // QUIRK: leafnode has "-x-" where there is none
		put(e.Attr, "description", d)
	}
	return e
}

// idEntry reads a line of NEWNEWS.
func (r *run) idEntry(line string) fetch.Entry {
	id, ok := cutID(strings.TrimSpace(line))
	if !ok {
		return fetch.Entry{Kind: fetch.KindUnknown, Title: line, Size: -1}
	}
	return fetch.Entry{URI: r.articleURI(id), Kind: fetch.KindMessage, Type: articleType, Title: "<" + id + ">", Size: -1,
		Attr: map[string][]string{"message-id": {"<" + id + ">"}}}
}
