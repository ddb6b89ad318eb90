package gateway

import (
	"cmp"
	"io"
	"net/http"

	"example.org/deref/fetch"
	"example.org/deref/fetch/httpbridge"
	"example.org/deref/fetch/pieces"
)

// piece is the size of a read and write.
const piece = 32 << 10

// maxFirst is how much of a document is read before the response begins. It is all of a small one.
const maxFirst = 4 << 10

// begins waits for the first byte of d. If the document fails before that, begins writes the error page, so that the response has the status of
// the failure and is not a 200 that breaks off, and returns false. Entries consume the body themselves: a listing shows its failure at its end,
// except for gemtext, whose first line is read for the title.
func (g *Gateway) begins(w http.ResponseWriter, r *http.Request, d *fetch.Document, c *transcript) bool {
	first := &pieces.Ahead{Rest: d.Body}
	for !first.More(maxFirst) && first.Err == nil {
	}
	d.Body = fetch.NewBody(first, d.Body.Close)
	if len(first.Held) > 0 || first.Err == io.EOF {
		return true
	}
	g.fails(w, r, d, first.Err, c)
	return false
}

// fails writes the error page in place of d.
func (g *Gateway) fails(w http.ResponseWriter, r *http.Request, d *fetch.Document, err error, c *transcript) {
	d.Body.Close()
	note(r).kind = fetch.KindOf(err)
	g.failurePage(w, r, d.URI, nil, err, c)
}

// stream passes a response on as it arrives.
func (g *Gateway) stream(w http.ResponseWriter, r *http.Request, resp *http.Response) {
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
	if err := g.copyFlushed(w, resp.Body); err != nil {
		abort(r, err)
	}
}

// abort breaks a response off, so that a truncated one does not look complete.
func abort(r *http.Request, err error) {
	if k := fetch.KindOf(err); k != "" {
		note(r).kind = k
	}
	breaksOff(r)
	panic(http.ErrAbortHandler)
}

// copyFlushed copies and flushes each piece, so that the first byte is sent when the origin sends it, and memory is bounded. Its buffer comes
// from a pool: without that, a document of 1 KiB allocates 46 KB in place of 13 (BenchmarkProxy).
func (g *Gateway) copyFlushed(w http.ResponseWriter, r io.Reader) error {
	pooled, ok := g.pieces.Get().(*[piece]byte)
	if !ok {
		pooled = new([piece]byte)
	}
	defer g.pieces.Put(pooled)
	_, err := io.CopyBuffer(flushing{w}, struct{ io.Reader }{r}, pooled[:])
	if fetch.KindOf(err) == fetch.ErrInteractive { // the first screen of a session is complete
		return nil
	}
	return err
}

// flushing flushes each write.
type flushing struct{ w http.ResponseWriter }

func (f flushing) Write(b []byte) (int, error) {
	n, err := f.w.Write(b)
	return n, cmp.Or(err, http.NewResponseController(f.w).Flush())
}

// options returns the options of a request, based on Config.Options.
func (g *Gateway) options(r *http.Request) (*fetch.Options, error) {
	requested, err := httpbridge.Options(r)
	if err != nil {
		return nil, err
	}
	o := g.plainOptions(r)
	o.Op, o.Range, o.IfChanged, o.IfSame = requested.Op, requested.Range, requested.IfChanged, requested.IfSame
	return o, nil
}

// plainOptions returns the options that request the whole object, whatever the request's own range and conditions.
func (g *Gateway) plainOptions(r *http.Request) *fetch.Options {
	o := g.cfg.Options.Clone()
	if user, password, ok := r.BasicAuth(); ok && g.mayLogin(r) {
		o.Login = fetch.GivenLogin(user, password)
	}
	return o
}
