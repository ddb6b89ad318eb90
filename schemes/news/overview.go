package news

import (
	"io"
	"iter"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/schemes/internal/maildoc"
)

// overviewType is the media type of the lines of OVER (RFC 3977 section 8.3.2).
const overviewType = "text/x-nntp-overview"

// An overviewKind is the form of the reply to OVER.
type overviewKind int

const (
	overviewLines   overviewKind = iota
	overviewEmpty                // the group has no articles
	overviewUnknown              // OVER is unknown: the header of each article is requested
)

// requestOverview sends OVER for the articles from low to high, unless it is outstanding, and reads the reply.
func (r *run) requestOverview(g group, low, high int64) (overviewKind, error) {
	if len(r.s.sent)+len(r.s.queue) == 0 {
		r.s.enqueue(withSpan(r.step("OVER"), low, high))
	}
	step, a, err := r.nextReply()
	if err == nil && step.Verb == "OVER" && unknown(a.code) {
		r.s.enqueue(withSpan(r.plan.When(ifNoOver)[0], low, high))
		step, a, err = r.nextReply()
	}
	switch {
	case err != nil:
		return overviewEmpty, err
	case a.code == 224:
		return overviewLines, nil
	case a.code == 420 || a.code == 423 || a.code == 412 && g.count == 0:
		return overviewEmpty, nil
	case step.Verb == "XOVER" && unknown(a.code):
		return overviewUnknown, nil
	}
	return overviewEmpty, fail(step, a)
}

// overview returns a listing of the articles of g.
func (r *run) overview(g group) (*fetch.Document, error) {
	low, high := r.boundsOf(g)
	how, err := r.requestOverview(g, low, high)
	switch {
	case err != nil:
		return nil, err
	case how == overviewLines:
		return r.lines(g, low, high), nil
	case how == overviewUnknown:
		return r.headListing(g, low, high), nil
	}
	return r.emptyOverview(g), nil
}

// lines returns the overview that follows. Numbers without a line are counted as missing.
func (r *run) lines(g group, low, high int64) *fetch.Document {
	b := &body{}
	d := fetch.NewDocument(b)
	b.text = newText(r.s, func(err error) {
		if err == io.EOF {
			d.Missing = max(0, high-low+1-b.count)
		}
		r.textEnded(err)
	})
	r.asOverview(d, g)
	d.ListWith(func(in io.Reader) iter.Seq2[fetch.Entry, error] { return r.recent(r.overviewEntries(g, in)) })
	return d
}

func (r *run) overviewEntries(g group, in io.Reader) iter.Seq2[fetch.Entry, error] {
	return lineproto.Entries(in, r.env.Limits().Line, func(line string) fetch.Entry { return r.overviewEntry(g.name, line) })
}

// overEntries yields the overview of one of several groups. The connection stays in use.
func (r *run) overEntries(g group) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		low, high := r.boundsOf(g)
		how, err := r.requestOverview(g, low, high)
		switch {
		case err != nil:
			yield(fetch.Entry{}, err)
		case how == overviewLines:
			b := r.text()
			defer b.Close()
			r.overviewEntries(g, b)(yield)
		case how == overviewUnknown:
			r.eachHead(g, low, high)(yield)
		}
	}
}

// emptyOverview returns the overview of a group without articles.
func (r *run) emptyOverview(g group) *fetch.Document {
	d := fetch.NewDocument(nil)
	r.asOverview(d, g)
	d.Size = 0
	d.Entries = func(func(fetch.Entry, error) bool) {}
	r.release()
	return d
}

func (r *run) asOverview(d *fetch.Document, g group) {
	d.Type, d.TypeReason, d.End = overviewType, "a newsgroup", fetch.EndTerminated
	g.setHeader(d)
}

// unknownLine returns the entry of a line in another form than the expected one.
func unknownLine(line string) fetch.Entry {
	return fetch.Entry{Kind: fetch.KindUnknown, Title: line, Size: -1}
}

// recent skips articles older than news.since.
func (r *run) recent(seq iter.Seq2[fetch.Entry, error]) iter.Seq2[fetch.Entry, error] {
	if r.since.IsZero() {
		return seq
	}
	return func(yield func(fetch.Entry, error) bool) {
		for e, err := range seq {
			if err == nil && !e.Modified.IsZero() && e.Modified.Before(r.since) {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// The fields of an overview line, in the order of RFC 3977 section 8.3.2.
const (
	overNumber = iota
	overSubject
	overFrom
	overDate
	overID
	overReferences
	overBytes
	overLines
	overFields
)

// overviewEntry parses a line of an overview.
func (r *run) overviewEntry(group, line string) fetch.Entry {
	f := strings.Split(line, "\t")
	n, ok := number(strings.TrimSpace(f[overNumber]))
	if !ok || len(f) < overReferences {
		return unknownLine(line)
	}
	f = append(f, make([]string, max(0, overFields-len(f)))...)
	e := r.messageEntry(group, n, mimemail.Header{
		{Name: "Subject", Value: f[overSubject]}, {Name: "From", Value: f[overFrom]}, {Name: "Date", Value: f[overDate]},
		{Name: "Message-Id", Value: f[overID]}, {Name: "References", Value: f[overReferences]}, {Name: "Lines", Value: f[overLines]},
	})
	if size, err := strconv.ParseInt(strings.TrimSpace(f[overBytes]), 10, 64); err == nil && size >= 0 {
		e.Size = size
		e.Attr["bytes"] = []string{strconv.FormatInt(size, 10)}
	}
	for _, extra := range f[overFields:] {
		if name, value, ok := strings.Cut(extra, ":"); ok && isWord(name) {
			put(e.Attr, strings.ToLower(name), strings.TrimSpace(value))
		}
	}
	return e
}

// messageEntry returns the entry of an article.
//
// QUIRK: leafnode shows an article of its own in groups that it has not fetched.
func (r *run) messageEntry(group string, n int64, h mimemail.Header) fetch.Entry {
	e := maildoc.MessageEntry(h, "From", "Date", "References", "Lines", "Xref")
	if n > 0 {
		put(e.Attr, "number", strconv.FormatInt(n, 10))
		put(e.Attr, "nntp", r.numberURI(group, n).String())
	}
	id, ok := cutID(h.Get("Message-Id"))
	if ok {
		put(e.Attr, "message-id", "<"+id+">")
		put(e.Attr, "news", "news:"+escape(id))
	}
	switch {
	case strings.HasPrefix(id, "leafnode:placeholder:"):
		e.Kind, e.Type = fetch.KindText, ""
	case r.byNumber() && n > 0:
		e.URI = r.numberURI(group, n)
	case ok:
		e.URI = r.articleURI(id)
	case n > 0:
		e.URI = r.numberURI(group, n)
	}
	return e
}

func put(attr map[string][]string, key, value string) {
	if value != "" {
		attr[key] = []string{value}
	}
}
