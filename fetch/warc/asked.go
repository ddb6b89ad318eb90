package warc

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// What a request asks for besides its URI makes another object of it. Such a capture answers to the same request alone.

// wanted is the URI of what p asks for. HTTP has the words of a search in it.
func wanted(p *fetch.Plan) uri.URI {
	if !isHTTP(p.URI) || len(p.Options.Search) == 0 || len(p.Steps) == 0 || len(p.Steps[0].Args) == 0 {
		return p.URI
	}
	ref, err := uri.Parse(p.Steps[0].Args[0])
	if err != nil {
		return p.URI
	}
	return p.URI.Resolve(ref)
}

// object is the URI of what the scheme itself would ask for.
func (h *answerer) object(u uri.URI, o *fetch.Options) uri.URI {
	if !h.speaksHTTP() || len(o.Search) == 0 {
		return u
	}
	p, err := h.scheme.Planner()(u, o)
	if err != nil {
		return u
	}
	p.Options = o
	return wanted(p)
}

func isHTTP(u uri.URI) bool { return u.Scheme() == "http" || u.Scheme() == "https" }

// asked says what of the object at a URI is wanted: the part of a message, what a search finds; "" is all of it.
func asked(u uri.URI, o *fetch.Options) string {
	var list []string
	for key, values := range o.Set {
		if strings.HasSuffix(key, ".part") { // every scheme calls it so
			list = append(list, "part "+strings.Join(values, " "))
		}
	}
	slices.Sort(list)
	if len(o.Search) > 0 && !isHTTP(u) {
		list = append(list, "search "+strings.Join(o.Search, " "))
	}
	return oneLine(strings.Join(list, ", "))
}

// isStretch reports whether the octets of the object are fewer than it has, because no more were asked for.
func (c *capture) isStretch() bool {
	part := c.plan.Options.Range
	switch {
	case part.IsZero():
		return false
	case c.out.Offset > 0:
		return true
	}
	return part.From <= 0 && c.object.size != c.out.Size // else it has changed, and all of it came
}

// pairing tells what an answer was asked by, by the link between request and answer, whichever stands first: the answer to HEAD has no body,
// and who asks for no content coding takes one as the document.
type pairing struct {
	request  string // ID of the latest
	head     bool   // it is HEAD
	plain    bool   // it asks for no content coding
	response string // ID of the latest
	key      string // where that is
	index    int
}

// ask takes a request.
func (a *Archive) ask(r *Record) error {
	b, err := io.ReadAll(io.LimitReader(r.Block, maxHeader))
	if err != nil && err != io.ErrUnexpectedEOF { // a short file: Next tells
		return err
	}
	a.pair.request, a.pair.head, a.pair.plain = r.ID(), bytes.HasPrefix(b, []byte("HEAD ")), !asksCoding(b)
	if a.pair.response != "" && r.isWith(a.pair.response) {
		p := &a.at[a.pair.key][a.pair.index]
		p.head, p.plain = a.pair.head, a.pair.plain
	}
	return nil
}

// asksCoding reports whether a request accepts a content coding (RFC 9110 section 12.5.3).
func asksCoding(request []byte) bool {
	for _, line := range fields(request)["Accept-Encoding"] {
		for coding := range strings.SplitSeq(line, ",") {
			name, weight, _ := strings.Cut(coding, ";")
			name = strings.ToLower(strings.TrimSpace(name))
			weight = strings.TrimRight(strings.ReplaceAll(weight, " ", ""), "0")
			if name != "" && name != "identity" && weight != "q=" && weight != "q=0." {
				return true
			}
		}
	}
	return false
}

// isWith reports whether r says that it was taken down together with the record of that ID.
func (r *Record) isWith(id string) bool {
	return slices.ContainsFunc(r.Fields, func(f Field) bool { return f.Value == id && strings.EqualFold(f.Name, "WARC-Concurrent-To") })
}

// cutOut leaves of a whole object the part that was asked for.
func cutOut(d *fetch.Document, o *fetch.Options) error {
	if o.Range.IsZero() || !o.IfSame.IsZero() && !o.IfSame.Same(d.Validator) {
		return nil
	}
	if d.Size < 0 {
		return fetch.Errorf(fetch.ErrRange, "the archive does not know how long the document is")
	}
	from, to, err := o.Range.Of(d.Size)
	if err != nil {
		return err
	}
	return cut(d, from, to)
}

// cutWithin is cutOut where the archive has n octets of the object alone, from d.Offset on.
func cutWithin(d *fetch.Document, o *fetch.Options, n int64) error {
	if o.Op == fetch.Metadata {
		return nil
	}
	from, to, end := o.Range.From, o.Range.To, d.Offset+n
	var err error
	switch {
	case o.Range.IsZero():
		from = -1
	case d.Size >= 0:
		from, to, err = o.Range.Of(d.Size)
	case to == 0:
		to = end
	}
	if err != nil {
		return err
	}
	if from < d.Offset || to > end {
		return fetch.Errorf(fetch.ErrRange, "the archive has only the octets from %d to %d of the document", d.Offset, end)
	}
	return cut(d, from, to)
}

// cut leaves of d's Body the octets [from,to) of the object.
func cut(d *fetch.Document, from, to int64) error {
	if _, err := io.CopyN(io.Discard, d.Body, from-d.Offset); err != nil {
		return err
	}
	d.Offset, d.Body = from, fetch.NewBody(io.LimitReader(d.Body, to-from), d.Body.Close)
	return nil
}
