package http

import (
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http/cache"
)

// ifCached is the condition of the lines that ask whether what the cache holds is still so.
const ifCached = "the cache holds a stale answer"

// validating are the lines under ifCached.
func validating() []fetch.Step {
	return []fetch.Step{
		{Verb: "If-None-Match:", Args: []string{"<entity tag>"}, If: ifCached},
		{Verb: "If-Modified-Since:", Args: []string{"<date>"}, If: ifCached},
	}
}

// A memory is what the cache has to do with one exchange.
type memory struct {
	cache  *cache.Cache
	key    string
	sent   map[string][]string // the request's fields
	entry  *cache.Entry        // what it holds, nil for nothing
	asked  time.Time
	answer bool   // the document is the entry's
	part   string // the Content-Range of the entry's part that is the document, "" for the whole
}

// cacheable reports whether the cache has to do with a request at all: one by nobody in particular, and without a condition of the user's.
func (h *handler) cacheable(p *fetch.Plan, o *fetch.Options) bool {
	if h.cfg.Cache == nil || o.Op != fetch.Retrieve && o.Op != fetch.Metadata || !o.IfChanged.IsZero() || o.Login.Set || isSimple(p.Steps) {
		return false
	}
	for _, s := range p.Steps {
		if s.Secret && s.If == "" {
			return false
		}
	}
	return true
}

// asksAgain reports whether the request may carry the validators of a stored response: only one for the whole of a document.
func asksAgain(o *fetch.Options) bool {
	return o.Op == fetch.Retrieve && o.Range.IsZero() && o.IfSame.IsZero()
}

// recall looks into the cache. fresh means that what it holds needs no question.
func (x *exchange) recall() (fresh bool) {
	o := x.plan.Options
	if !x.handler.cacheable(x.plan, o) || x.handler.cfg.Jar != nil && len(x.handler.cfg.Jar.Cookies(x.handler.place(x.plan))) > 0 {
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
	x.memory = &memory{cache: x.handler.cfg.Cache, key: x.handler.name + "://" + x.plan.Addr + " " + x.plan.Steps[0].Args[0], sent: sent}
	if o.Op == fetch.Metadata {
		return false
	}
	x.memory.entry = x.memory.cache.Get(x.memory.key, x.memory.field)
	if e := x.memory.entry; e != nil && e.Answers(sent, time.Now()) && x.hasPart(e) {
		x.useEntry()
		return true
	}
	if !asksAgain(o) {
		x.memory.release()
	}
	return false
}

// release closes the entry, which is not the answer.
func (m *memory) release() {
	if m.entry != nil {
		m.entry.Close()
		m.entry = nil
	}
}

// onlyCached is the error of a request that must not reach the server (RFC 9111 section 5.2.1.7), nil if this one may.
func (x *exchange) onlyCached() error {
	if x.memory == nil || x.plan.Options.Op != fetch.Retrieve || !cache.OnlyCached(x.memory.sent) {
		return nil
	}
	x.memory.release()
	return &fetch.Error{Kind: fetch.ErrNotFound, Status: 504, Text: "the cache holds no response that may be used, and only-if-cached forbids a request to the server"}
}

func (m *memory) field(name string) string { return strings.Join(m.sent[name], ", ") }

// withValidators adds the question to the lines.
func (x *exchange) withValidators(lines []fetch.Step) []fetch.Step {
	if x.memory == nil {
		return lines
	}
	x.memory.asked = time.Now()
	if x.memory.entry == nil {
		return lines
	}
	h := x.memory.entry.Header
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

// isStored reports whether the answer is out of the cache.
func (x *exchange) isStored() bool { return x.memory != nil && x.memory.answer }

// hasPart reports whether e contains what is wanted of it: the whole, or a part of the whole, in the same state as what the user has.
func (x *exchange) hasPart(e *cache.Entry) bool {
	o := x.plan.Options
	if o.Range.IsZero() {
		return o.IfSame.IsZero()
	}
	own := fetch.Validator{Tag: e.First("Etag"), Modified: e.First("Last-Modified"), Size: e.Size}
	if e.Status != 200 || o.Get(setCompressed) != "" || !o.IfSame.IsZero() && (ifRange(o.IfSame) == "" || isOther(o.IfSame, own)) {
		return false
	}
	from, to := partOf(o.Range, e.Size)
	if from >= to || e.Cut(from, to) != nil {
		return false
	}
	x.memory.part = fmt.Sprintf("bytes %d-%d/%d", from, to-1, e.Size)
	e.Header["Content-Length"] = []string{strconv.FormatInt(to-from, 10)}
	return true
}

// partOf returns the part [from,to) of size bytes that r is.
func partOf(r fetch.Range, size int64) (from, to int64) {
	if r.From < 0 {
		return max(0, size+r.From), size
	}
	if r.To == 0 {
		return r.From, size
	}
	return r.From, min(r.To, size)
}

// useEntry makes the stored answer the answer.
func (x *exchange) useEntry() {
	m := x.memory
	m.answer = true
	h := make(textproto.MIMEHeader, len(m.entry.Header)+1)
	for name, values := range m.entry.Header {
		h[name] = values
	}
	h.Set("Age", strconv.FormatInt(int64(m.entry.Age(time.Now())/time.Second), 10)) // RFC 9111 section 5.1
	x.head = head{major: 1, minor: 1, status: m.entry.Status, reason: m.entry.Reason, header: h}
	if m.part != "" {
		x.head.status, x.head.reason = 206, "Partial Content"
		h.Set("Content-Range", m.part)
	}
	x.size, x.stream = framed, m.entry
}

// remember is what the cache makes of the server's answer: a 304 confirms what is stored, a failure may be answered by it.
func (x *exchange) remember(err error, lines []fetch.Step) error {
	m := x.memory
	if m == nil {
		return err
	}
	if m.entry == nil {
		x.compare(err)
		return err
	}
	switch {
	case err == nil && x.head.status == 304 && x.confirmsOther():
		m.cache.Forget(m.key)
		m.release()
		x.drop(x.size)
		return x.converse(lines)
	case err == nil && x.head.status == 304:
		if ferr := m.cache.Freshen(m.entry, x.head.header, m.field, m.asked, time.Now()); ferr != nil {
			m.release()
			return fetch.Errorf(fetch.ErrLocal, "the cache: %w", ferr)
		}
		x.drop(x.size)
		x.useEntry()
		return nil
	case (err != nil && unreachable(err) || err == nil && isServerError(x.head.status)) && x.ctx.Err() == nil && m.entry.ServesErrors(time.Now()):
		if err == nil {
			x.drop(x.size)
		}
		x.useEntry()
		return nil
	}
	m.release()
	return err
}

// confirmsOther reports whether a 304 is about another state than the stored one: it has another strong tag, and updates nothing then (RFC 9111
// section 4.3.4).
func (x *exchange) confirmsOther() bool {
	tag, stored := x.head.header.Get("Etag"), x.memory.entry.First("Etag")
	return tag != "" && !strings.HasPrefix(tag, "W/") && tag != stored
}

// isServerError reports whether status is one of those that stale-if-error is about (RFC 5861 section 4).
func isServerError(status int) bool {
	return status == 500 || status == 502 || status == 503 || status == 504
}

// compare has what a HEAD returned update what is stored, or remove it if that is in another state or gone. RFC 9111 section 4.3.5.
func (x *exchange) compare(err error) {
	m := x.memory
	if err != nil || x.plan.Options.Op != fetch.Metadata {
		return
	}
	switch x.head.status {
	case 404, 410:
		m.cache.Forget(m.key)
	case 200:
		e := m.cache.Get(m.key, m.field)
		if e == nil {
			return
		}
		defer e.Close()
		for _, name := range [...]string{"Content-Length", "Etag", "Last-Modified"} {
			if v := x.head.header.Get(name); v != "" && v != e.First(name) {
				m.cache.Forget(m.key)
				return
			}
		}
		if m.cache.Freshen(e, x.head.header, m.field, m.asked, time.Now()) != nil {
			m.cache.Forget(m.key)
		}
	}
}

func unreachable(err error) bool {
	switch fetch.KindOf(err) {
	case fetch.ErrDNS, fetch.ErrConnect, fetch.ErrConnection, fetch.ErrTimeout, fetch.ErrTruncated:
		return true
	}
	return false
}

// keeping has the body stored while it is read.
func (x *exchange) keeping(body io.ReadCloser) io.ReadCloser {
	if w := x.begin(); w != nil {
		return &kept{body, w}
	}
	return body
}

// keepRefusal stores an error, without its body, which is not the document's.
func (x *exchange) keepRefusal() {
	if w := x.begin(); w != nil {
		w.Commit()
	}
}

// begin begins an entry for the server's answer, and forgets an earlier one that this one shows to be out of date. It returns nil if the answer is
// not to be stored.
func (x *exchange) begin() *cache.Writer {
	m := x.memory
	if m == nil || m.answer || !asksAgain(x.plan.Options) && x.head.status != 200 || x.plan.Options.Op != fetch.Retrieve {
		return nil
	}
	if !cache.Storable(x.head.status, m.sent, x.head.header) {
		if x.head.status < 500 {
			m.cache.Forget(m.key)
		}
		return nil
	}
	w, err := m.cache.New(cache.Meta{URI: m.key, Status: x.head.status, Reason: x.head.reason, Header: x.head.header,
		Vary: cache.Select(x.head.header, m.field), Requested: m.asked, Received: time.Now()})
	if err != nil {
		return nil // a cache that cannot be written is none
	}
	return w
}

// kept is a body that goes to the cache too.
type kept struct {
	io.ReadCloser
	w *cache.Writer
}

func (b *kept) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.w != nil {
		b.w.Write(p[:n])
		if err == io.EOF {
			b.w.Commit()
			b.w = nil
		}
	}
	return n, err
}

// Close forgets what is not whole.
func (b *kept) Close() error {
	if b.w != nil {
		b.w.Abort()
		b.w = nil
	}
	return b.ReadCloser.Close()
}
