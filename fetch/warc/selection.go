package warc

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A request may select something by more than its URI, such as one part of a message. Its capture answers only the same request.

// requestURI returns the URI that p requests. For HTTP it includes the words of a search.
func requestURI(p *fetch.Plan) uri.URI {
	if !isHTTP(p.URI) || len(p.Options.Search) == 0 || len(p.Steps) == 0 || len(p.Steps[0].Args) == 0 {
		return p.URI
	}
	ref, err := uri.Parse(p.Steps[0].Args[0])
	if err != nil {
		return p.URI
	}
	return p.URI.Resolve(ref)
}

// requestedURI returns the URI that the scheme itself would request.
func (h *replayer) requestedURI(u uri.URI, o *fetch.Options) uri.URI {
	if !h.speaksHTTP() || len(o.Search) == 0 {
		return u
	}
	p, err := h.scheme.Plan(u, o)
	if err != nil {
		return u
	}
	p.Options = o
	return requestURI(p)
}

func isHTTP(u uri.URI) bool { return u.Scheme() == "http" || u.Scheme() == "https" }

// selectionOf describes the requested part of the object at a URI: a part of a message, or the result of a search. It returns "" for the
// whole object.
func selectionOf(u uri.URI, o *fetch.Options) string {
	var list []string
	for key, values := range o.Set {
		if strings.HasSuffix(key, ".part") { // every scheme uses this name
			list = append(list, "part "+strings.Join(values, " "))
		}
	}
	slices.Sort(list)
	if len(o.Search) > 0 && !isHTTP(u) {
		list = append(list, "search "+strings.Join(o.Search, " "))
	}
	return oneLine(strings.Join(list, ", "))
}

// isRange reports whether the object is incomplete because only a range of it was requested.
func (c *capture) isRange() bool {
	part := c.plan.Options.Range
	switch {
	case part.IsZero():
		return false
	case c.out.Offset > 0:
		return true
	}
	return part.From <= 0 && c.object.size != c.out.Size // otherwise the object has changed and was sent whole
}

// A requestFact is about the latest request of a file, in which it may precede its response. The response to HEAD has no body, and a request that
// accepts no content coding treats a coded body as the document.
type requestFact struct {
	id, notes string
}

// addRequest notes the latest request.
func (n *notes) addRequest(r *Record) error {
	b, err := requestHead(r)
	n.request = requestFact{id: r.ID()}
	if isHead(b) {
		n.request.notes += noteHead
	}
	if !acceptsCoding(b) {
		n.request.notes += notePlain
	}
	return err
}

// requestHead returns the beginning of an HTTP request.
func requestHead(r *Record) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r.Block, maxHeader))
	if err == io.ErrUnexpectedEOF { // Next reports a short file
		err = nil
	}
	return b, err
}

func isHead(request []byte) bool { return bytes.HasPrefix(request, []byte("HEAD ")) }

// acceptsCoding reports whether a request accepts a content coding (RFC 9110 section 12.5.3).
func acceptsCoding(request []byte) bool {
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

// isConcurrentTo reports whether r belongs to the same capture as the record with that ID.
func (r *Record) isConcurrentTo(id string) bool {
	return id != "" && slices.ContainsFunc(r.Fields, func(f Field) bool { return f.Value == id && strings.EqualFold(f.Name, "WARC-Concurrent-To") })
}

// cutRange cuts a whole object down to the requested range.
func cutRange(d *fetch.Document, o *fetch.Options) error {
	if o.Range.IsZero() || !o.IfSame.IsZero() && !o.IfSame.Same(d.Validator) {
		return nil
	}
	if d.Size < 0 {
		return fetch.Errorf(fetch.ErrRange, "the archive does not contain the size of the document")
	}
	from, to, err := o.Range.Of(d.Size)
	if err != nil {
		return err
	}
	return cutTo(d, from, to)
}

// cutRangeWithin is cutRange for an archive that contains only n bytes of the object, from d.Offset on.
func cutRangeWithin(d *fetch.Document, o *fetch.Options, n int64) error {
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
		return fetch.Errorf(fetch.ErrRange, "the archive contains only bytes %d to %d of the document", d.Offset, end)
	}
	return cutTo(d, from, to)
}

// cutTo cuts d's Body down to the bytes [from,to) of the object.
func cutTo(d *fetch.Document, from, to int64) error {
	if _, err := io.CopyN(io.Discard, d.Body, from-d.Offset); err != nil {
		return err
	}
	d.Offset, d.Body = from, fetch.NewBody(io.LimitReader(d.Body, to-from), d.Body.Close)
	return nil
}
