package gateway

import (
	"io"
	"net/http"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/httpbridge"
)

// patience is how long a client may take nothing of what is written to it.
const patience = time.Minute

// piece is what is read and written at a time.
const piece = 32 << 10

// stream writes an answer to the client as its octets come.
func (g *Gateway) stream(w http.ResponseWriter, r *http.Request, resp *http.Response) {
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
	if err := copyFlushed(w, resp.Body); err != nil {
		abort(r, err)
	}
}

// abort breaks an answer off: what is short must not look whole.
func abort(r *http.Request, err error) {
	if k := fetch.KindOf(err); k != "" {
		note(r).kind = k
	}
	breaksOff(r)
	panic(http.ErrAbortHandler)
}

// copyFlushed passes on what is there, so that the first octet arrives when the origin sends it and no more than a piece is held.
func copyFlushed(w http.ResponseWriter, r io.Reader) error {
	c := http.NewResponseController(w)
	buf := make([]byte, piece)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			c.SetWriteDeadline(time.Now().Add(patience))
			if _, werr := w.Write(buf[:n]); werr != nil {
				return werr
			}
			if werr := c.Flush(); werr != nil {
				return werr
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// options are those of a request: what it wishes, on the ground of Config.Options.
func (g *Gateway) options(r *http.Request) (*fetch.Options, error) {
	wish, err := httpbridge.Options(r)
	if err != nil {
		return nil, err
	}
	o := g.plainOptions(r)
	o.Op, o.Range, o.IfChanged, o.IfSame = wish.Op, wish.Range, wish.IfChanged, wish.IfSame
	return o, nil
}

// plainOptions are those that ask for the whole object, whatever the request wishes.
func (g *Gateway) plainOptions(r *http.Request) *fetch.Options {
	o := &fetch.Options{}
	if g.cfg.Options != nil {
		*o = *g.cfg.Options
	}
	if user, password, ok := r.BasicAuth(); ok && g.mayLogin(r) {
		o.Login = fetch.Login{User: user, Password: password, Set: true}
	}
	return o
}
