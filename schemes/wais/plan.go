package wais

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/reading"
	"example.org/deref/uri"
)

const (
	ifSource  = "the search answered a record of the type WSRC"
	untilSaid = "until the document ends"

	// chunk is what every old client asks for at once; 99000 is the most that servers answer.
	chunk       = 10000
	defaultMost = 40
	mostMost    = 10000
)

// Plan is one search, or the retrievals of a document's chunks.
func (handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := readingOf(u, o.Mode)
	if err != nil {
		return nil, err
	}
	if o.Op != fetch.Retrieve {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "wais has no operation %q", o.Op)
	}
	addr, err := u.HostPort(port)
	if err != nil {
		return nil, err
	}
	p := &fetch.Plan{Network: "tcp", Addr: addr, TLS: fetch.NoTLS}
	if r.What == whatDocument {
		return p, r.retrieval(p, o)
	}
	if !o.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrRange, "a search has no ranges")
	}
	return p, r.search(p, o)
}

// search asks for headlines. Void words ask for help: the answer holds the database's description as a source file.
func (r *parts) search(p *fetch.Plan, o *fetch.Options) error {
	words := o.Search
	if r.Search != nil && *r.Search != "" {
		words = append([]string{string(*r.Search)}, words...)
	}
	most, err := mostHeadlines(o)
	if err != nil {
		return err
	}
	text := strings.Join(words, " ")
	p.Shape = fetch.ShapeSearch
	p.Steps = []fetch.Step{{Verb: "search", Args: []string{string(r.Database), "most", most}, Data: text}}
	if text == "" {
		p.Shape, p.Type = fetch.ShapeDocument, mediaType("WSRC")
		p.Steps = append(p.Steps, fetch.Step{
			Verb: "retrieve", Args: []string{string(r.Database), "WSRC", "bytes", "<n>-<n+10000>"}, Data: "<DocID>", If: ifSource, Repeat: untilSaid,
		})
	}
	return nil
}

func mostHeadlines(o *fetch.Options) (string, error) {
	s := o.Get(setMax)
	if s == "" {
		return strconv.Itoa(defaultMost), nil
	}
	n, ok := reading.Digits(s)
	if !ok || n < 1 || n > mostMost {
		return "", fetch.Errorf(fetch.ErrUnsupported, "%s is a number from 1 to %d", setMax, mostMost)
	}
	return strconv.Itoa(n), nil
}

// retrieval asks for the chunks of one document.
func (r *parts) retrieval(p *fetch.Plan, o *fetch.Options) error {
	wtype, err := r.oneType(o)
	if err != nil {
		return err
	}
	span, until, err := r.span(o.Range)
	if err != nil {
		return err
	}
	p.Shape, p.Type = fetch.ShapeDocument, mediaType(wtype)
	p.Steps = []fetch.Step{{Verb: "retrieve", Args: []string{string(r.Database), wtype, "bytes", span}, Data: string(r.DocID), Repeat: until}}
	return nil
}

// oneType picks the wanted one of several types, "TEXT,HTML"; the first is the default.
func (r *parts) oneType(o *fetch.Options) (string, error) {
	list := strings.Split(string(*r.WType), ",")
	for _, want := range o.Accept {
		for _, t := range list {
			if strings.EqualFold(t, want) || mediaType(t) == want {
				return t, nil
			}
		}
	}
	if list[0] == "" || strings.ContainsFunc(list[0], func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return "", fetch.Errorf(fetch.ErrRefusedURL, "%q is no type of WAIS", list[0])
	}
	return list[0], nil
}

// span gives the octets of a request: one chunk at a time, or a part that one chunk holds. end <= start kills servers.
func (r *parts) span(want fetch.Range) (span, until string, err error) {
	to := want.To
	if r.Length != nil && *r.Length > 0 && (to == 0 || to > int64(*r.Length)) {
		to = int64(*r.Length)
	}
	switch {
	case want.From < 0 && (r.Length == nil || *r.Length == 0):
		return "", "", fetch.Errorf(fetch.ErrRange, "the end of a document is found only with its length in the URI")
	case want.From < 0:
		want.From = max(0, int64(*r.Length)+want.From)
	}
	switch {
	case to > 0 && want.From >= to:
		return "", "", fetch.Errorf(fetch.ErrRange, "the document ends at octet %d", to)
	case to > 0 && to-want.From <= chunk:
		return strconv.FormatInt(want.From, 10) + "-" + strconv.FormatInt(to, 10), "", nil
	}
	until = untilSaid
	if to > 0 {
		until = "until octet " + strconv.FormatInt(to, 10)
	}
	if want.From > 0 {
		until += ", from octet " + strconv.FormatInt(want.From, 10)
	}
	return "<n>-<n+10000>", until, nil
}

// mediaType is the type of a document as far as WAIS names go.
func mediaType(wtype string) string {
	switch strings.ToUpper(wtype) {
	case "TEXT":
		return "text/plain"
	case "HTML":
		return "text/html"
	case "WSRC":
		return "application/x-wais-source"
	case "GIF":
		return "image/gif"
	case "JPEG", "JFIF":
		return "image/jpeg"
	case "TIFF":
		return "image/tiff"
	case "PICT":
		return "image/x-pict"
	case "PPM":
		return "image/x-portable-pixmap"
	case "PS":
		return "application/postscript"
	case "DVI":
		return "application/x-dvi"
	case "URL":
		return "text/uri-list"
	}
	return "application/octet-stream"
}
