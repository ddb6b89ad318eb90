package news

import (
	"io"
	"iter"
	"mime"
	"net/textproto"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/mailparts"
	"example.org/deref/uri"
)

// contents makes entries of an article: what its header leads to, then its parts.
func (r *run) contents(d *fetch.Document, h header) func(io.Reader) iter.Seq2[fetch.Entry, error] {
	return func(in io.Reader) iter.Seq2[fetch.Entry, error] {
		return func(yield func(fetch.Entry, error) bool) {
			for e := range r.links(h) {
				if !yield(e, nil) {
					return
				}
			}
			for p, err := range mailparts.Parts(in, r.env.Limits().Nesting) {
				switch {
				case err == nil:
					if !yield(r.partEntry(p), nil) {
						return
					}
				case fetch.KindOf(err) != "":
					yield(fetch.Entry{}, err)
				default: // the article came, and is not what it says
					yield(fetch.Entry{Kind: fetch.KindUnknown, Title: err.Error(), Size: -1}, nil)
				}
			}
		}
	}
}

// links yields what the fields of a header lead to.
func (r *run) links(h header) iter.Seq[fetch.Entry] {
	return func(yield func(fetch.Entry) bool) {
		for _, f := range h {
			for e := range r.linksOf(f) {
				e.Size, e.Attr = -1, map[string][]string{"rel": {strings.ToLower(f.name)}}
				if !e.URI.IsZero() && !yield(e) {
					return
				}
			}
		}
	}
}

func (r *run) linksOf(f field) iter.Seq[fetch.Entry] {
	return func(yield func(fetch.Entry) bool) {
		switch f.name {
		case "References", "In-Reply-To", "Supersedes", "Also-Control", "See-Also":
			for id := range references(f.value) {
				if !yield(fetch.Entry{URI: r.articleURI(id), Title: "<" + id + ">", Kind: fetch.KindMessage, Type: articleType}) {
					return
				}
			}
		case "Newsgroups", "Followup-To":
			for g := range strings.SplitSeq(f.value, ",") {
				if g = strings.TrimSpace(g); g != "poster" && !yield(fetch.Entry{URI: r.groupURI(g), Title: g, Kind: fetch.KindGroup}) {
					return
				}
			}
		case "Xref":
			r.xref(f.value, yield)
		case "Archived-At", "List-Archive":
			_, rest, _ := strings.Cut(f.value, "<")
			text, _, ok := strings.Cut(rest, ">")
			if u, err := uri.Parse(text); ok && err == nil && u.IsAbs() {
				yield(fetch.Entry{URI: u, Title: text, Kind: fetch.KindLink})
			}
		}
	}
}

// xref reads "server group:number ...": the numbers are those of the server that was asked (RFC 5536 section 3.2.14).
func (r *run) xref(value string, yield func(fetch.Entry) bool) {
	if r.plan.Network == "" {
		return // who knows where these were counted
	}
	fields := strings.Fields(value)
	for _, f := range fields[min(1, len(fields)):] {
		i := strings.LastIndexByte(f, ':')
		if i < 1 {
			continue
		}
		n, ok := number(f[i+1:])
		if ok && isWord(f[:i]) && !yield(fetch.Entry{URI: r.numberURI(f[:i], n), Title: f, Kind: fetch.KindMessage, Type: articleType}) {
			return
		}
	}
}

// partEntry is a part as an entry. Its URI has the part as its fragment, which is for the reader and not for the server.
func (r *run) partEntry(p mailparts.Part) fetch.Entry {
	kind, _, err := mime.ParseMediaType(p.Type)
	if err != nil {
		kind = ""
	}
	e := fetch.Entry{URI: made(r.plan.URI.String() + "#part" + strconv.Itoa(p.Number)), Kind: fetch.KindFile, Type: kind, Size: -1, Title: p.Name, Attr: map[string][]string{"part": {strconv.Itoa(p.Number)}}}
	if e.Title == "" {
		e.Title = "part " + strconv.Itoa(p.Number) + ", " + strings.TrimSpace(kind)
	}
	put(e.Attr, "path", p.Path)
	put(e.Attr, "filename", p.Name)
	put(e.Attr, "content-id", p.ID)
	put(e.Attr, "encoding", p.Encoding)
	return e
}

// onlyPart makes of an article the document of the one part that is wanted.
func (r *run) onlyPart(d *fetch.Document) (*fetch.Document, error) {
	if r.part == 0 {
		return d, nil
	}
	next, stop := iter.Pull2(mailparts.Parts(d.Body, r.env.Limits().Nesting))
	for {
		p, err, ok := next()
		if ok && err == nil && p.Number != r.part {
			continue
		}
		if ok && err == nil {
			return r.partDocument(d, p, stop), nil
		}
		stop()
		d.Body.Close()
		if !ok {
			return nil, fetch.Errorf(fetch.ErrNotFound, "the article has no part %d", r.part)
		}
		return nil, undecoded(err)
	}
}

func (r *run) partDocument(d *fetch.Document, p mailparts.Part, stop func()) *fetch.Document {
	out := fetch.NewDocument(&partBody{part: p.Body, stop: stop, article: d.Body})
	out.Type, out.TypeReason, out.End = p.Type, "part "+strconv.Itoa(p.Number)+" of an article", d.End
	out.Base, out.Modified = d.Base, d.Modified
	if d.Validator.Tag != "" {
		out.Validator.Tag = d.Validator.Tag + "#part" + strconv.Itoa(p.Number)
	}
	out.Header = textproto.MIMEHeader{"Content-Type": {p.Type}}
	if p.Name != "" {
		out.Header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": p.Name}))
	}
	return out
}

// partBody is a part of an article, while the rest of it is still to come.
type partBody struct {
	part    io.Reader
	stop    func()
	article io.Closer
	closed  bool
}

func (b *partBody) Read(p []byte) (int, error) {
	if b.closed {
		return 0, io.ErrClosedPipe
	}
	n, err := b.part.Read(p)
	return n, undecoded(err)
}

// Close leaves the article.
func (b *partBody) Close() error {
	b.closed = true
	b.stop()
	return b.article.Close()
}

// undecoded gives what is wrong with an article its kind: it came as it was stored.
func undecoded(err error) error {
	if err == nil || err == io.EOF || fetch.KindOf(err) != "" {
		return err
	}
	return fetch.Errorf(fetch.ErrDecode, "%w", err)
}
