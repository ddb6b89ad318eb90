package http

import (
	"fmt"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http/cache"
)

// ifCached is the condition of the lines that revalidate a stored response.
const ifCached = "the cache holds a stale answer"

// A cacheUse is how one exchange uses the cache.
type cacheUse struct {
	cache  *cache.Cache
	key    string
	sent   map[string][]string // the request's fields
	entry  *cache.Entry        // the stored response; nil if there is none
	asked  time.Time           // when the request was sent
	answer bool                // the stored response is the document
	part   string              // Content-Range of the requested part, "" for the whole document
}

// mayCache reports whether the cache may answer the request or store its response. It must have neither credentials nor conditions of the
// user's.
func (r *request) mayCache(p *fetch.Plan, o *fetch.Options) bool {
	if r.Cache == nil || !o.IfChanged.IsZero() || o.Login.Set || clientCert(o).Cert != "" || isConditional(p) {
		return false
	}
	return !slices.ContainsFunc(p.Steps, func(s fetch.Step) bool { return s.If == "" && s.Secret })
}

// isConditional reports whether the user has made the request conditional (RFC 9110 section 13.1). If-Range does not: it is about the range alone.
func isConditional(p *fetch.Plan) bool {
	return slices.ContainsFunc(p.Steps, func(s fetch.Step) bool {
		name := strings.ToLower(s.Verb)
		return s.If == "" && strings.HasPrefix(name, "if-") && name != "if-range:"
	})
}

// mayRevalidate reports whether the request may carry the validators of a stored response. It must be for a whole document.
func mayRevalidate(o *fetch.Options) bool {
	return o.Op == fetch.Retrieve && o.Range.IsZero() && o.IfSame.IsZero()
}

// lookUp looks up the request in the cache. It reports whether the stored response is fresh, so that it is the answer.
func (x *exchange) lookUp() (fresh bool) {
	o := x.plan.Options
	if x.Jar != nil && len(x.Jar.Cookies(x.cookieURL)) > 0 {
		return false
	}
	sent := map[string][]string{}
	for _, s := range x.plan.When("") {
		if name, isField := strings.CutSuffix(s.Verb, ":"); isField {
			name = textproto.CanonicalMIMEHeaderKey(name)
			sent[name] = append(sent[name], s.Args...)
		}
	}
	if cache.Forbids(sent) {
		return false
	}
	c := &cacheUse{cache: x.Cache, key: x.name + "://" + x.plan.Addr + " " + x.Target, sent: sent}
	if x.acceptsCodings(o) { // which servers forget to name in Vary
		c.key += " " + acceptedCodings
	}
	x.cached = c
	if o.Op == fetch.Metadata {
		return false
	}
	c.entry = c.cache.Get(c.key, c.field)
	if e := c.entry; e != nil && e.Answers(sent, time.Now()) && x.hasPart(e) {
		x.useEntry()
		return true
	}
	if !mayRevalidate(o) {
		c.release()
	}
	return false
}

// release closes the entry if it is not the answer.
func (c *cacheUse) release() {
	if c.entry != nil {
		c.entry.Close()
		c.entry = nil
	}
}

// onlyCached returns an error if the request must not reach the server (RFC 9111 section 5.2.1.7).
func (x *exchange) onlyCached() error {
	if x.cached == nil || x.plan.Options.Op != fetch.Retrieve || !cache.OnlyCached(x.cached.sent) {
		return nil
	}
	x.cached.release()
	return &fetch.Error{Kind: fetch.ErrNotFound, Status: 504,
		Text: "the cache holds no response that may be used, and only-if-cached forbids a request to the server"}
}

func (c *cacheUse) field(name string) string { return strings.Join(c.sent[name], ", ") }

// withValidators adds the validators of the stored response to the lines.
func (x *exchange) withValidators(lines []fetch.Step) []fetch.Step {
	if x.cached == nil {
		return lines
	}
	x.cached.asked = time.Now()
	if x.cached.entry == nil {
		return lines
	}
	h := x.cached.entry.Header
	lines = lines[:len(lines):len(lines)]
	for _, s := range x.plan.When(ifCached) {
		name := "Etag"
		if s.Verb == "If-Modified-Since:" {
			name = "Last-Modified"
		}
		if v := h[name]; len(v) > 0 && v[0] != "" && isFieldValue(v[0]) {
			s.Args = v[:1]
			lines = append(lines, s)
		}
	}
	return lines
}

// isStored reports whether the response comes from the cache.
func (x *exchange) isStored() bool { return x.cached != nil && x.cached.answer }

// hasPart reports whether e contains what was requested: the whole document, or a range of it in the same state as the user's copy.
func (x *exchange) hasPart(e *cache.Entry) bool {
	o := x.plan.Options
	if o.Range.IsZero() {
		return o.IfSame.IsZero()
	}
	own := fetch.Validator{Tag: e.First("Etag"), Modified: e.First("Last-Modified"), Size: e.Size}
	if e.Status != 200 || x.compressed || !o.IfSame.IsZero() && (ifRange(o.IfSame) == "" || differs(o.IfSame, own)) {
		return false
	}
	from, to, err := o.Range.Of(e.Size)
	if err != nil || from == to || e.Cut(from, to) != nil {
		return false
	}
	x.cached.part = fmt.Sprintf("bytes %d-%d/%d", from, to-1, e.Size)
	e.Header["Content-Length"] = []string{strconv.FormatInt(to-from, 10)}
	return true
}

// useEntry makes the stored response the answer.
func (x *exchange) useEntry() {
	c := x.cached
	c.answer = true
	h := make(textproto.MIMEHeader, len(c.entry.Header)+1)
	for name, values := range c.entry.Header {
		h[name] = values
	}
	h.Set("Age", strconv.FormatInt(int64(c.entry.Age(time.Now())/time.Second), 10)) // RFC 9111 section 5.1
	x.head = head{major: 1, minor: 1, status: c.entry.Status, reason: c.entry.Reason, header: h}
	if c.part != "" {
		x.head.status, x.head.reason = 206, "Partial Content"
		h.Set("Content-Range", c.part)
	}
	x.size, x.stream = framed, c.entry
}

// applyCache applies the server's response, or err, to the stored response: a 304 confirms it, and it may answer after a failure.
func (x *exchange) applyCache(err error, sent []fetch.Step) error {
	c := x.cached
	if c == nil {
		return err
	}
	if c.entry == nil {
		if err == nil && x.plan.Options.Op == fetch.Metadata {
			x.updateByHead()
		}
		return err
	}
	switch {
	case err == nil && x.head.status == 304 && x.confirmsOther():
		c.cache.Forget(c.key)
		c.release()
		x.release(x.size)
		return x.roundTrip(sent)
	case err == nil && x.head.status == 304:
		x.freshen(c.entry)
		x.release(x.size)
		x.useEntry()
		return nil
	case (err != nil && isUnreachable(err) || err == nil && isServerError(x.head.status)) && x.ctx.Err() == nil && c.entry.ServesErrors(time.Now()):
		if err == nil {
			x.release(x.size)
		}
		x.useEntry()
		return nil
	}
	c.release()
	return err
}

// confirmsOther reports whether a 304 has another strong tag than the stored response, which it then does not update (RFC 9111 section
// 4.3.4).
func (x *exchange) confirmsOther() bool {
	tag, stored := x.head.header.Get("Etag"), x.cached.entry.First("Etag")
	return tag != "" && !strings.HasPrefix(tag, "W/") && tag != stored
}

// isServerError reports whether stale-if-error covers status (RFC 5861 section 4).
func isServerError(status int) bool {
	return status == 500 || status == 502 || status == 503 || status == 504
}

// updateByHead updates the stored response by the response to HEAD, or removes it if the document has changed or is gone. RFC 9111 section
// 4.3.5.
func (x *exchange) updateByHead() {
	c := x.cached
	switch x.head.status {
	case 404, 410:
		c.cache.Forget(c.key)
	case 200:
		e := c.cache.Get(c.key, c.field)
		if e == nil {
			return
		}
		defer e.Close()
		for _, name := range [...]string{"Content-Length", "Etag", "Last-Modified"} {
			if v := x.head.header.Get(name); v != "" && v != e.First(name) {
				c.cache.Forget(c.key)
				return
			}
		}
		x.freshen(e)
	}
}

// freshen updates the stored response by the head of the server's. If the cache cannot be written, it is as if nothing was stored.
func (x *exchange) freshen(e *cache.Entry) {
	c := x.cached
	if c.cache.Freshen(e, x.head.header, c.field, c.asked, time.Now()) != nil {
		c.cache.Forget(c.key)
	}
}

func isUnreachable(err error) bool {
	switch fetch.KindOf(err) {
	case fetch.ErrDNS, fetch.ErrConnect, fetch.ErrConnection, fetch.ErrTimeout, fetch.ErrTruncated:
		return true
	}
	return false
}
