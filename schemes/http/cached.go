package http

import (
	"io"
	"maps"
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
	answer bool // the document is the entry's
}

// cacheable reports whether a request may be answered by the cache at all: the whole of a document, asked for by nobody in particular.
func (h *handler) cacheable(p *fetch.Plan, o *fetch.Options) bool {
	if h.cfg.Cache == nil || o.Op != fetch.Retrieve || !o.Range.IsZero() || !o.IfSame.IsZero() || !o.IfChanged.IsZero() || o.Login.Set || isSimple(p.Steps) {
		return false
	}
	for _, s := range p.Steps {
		if s.Secret && s.If == "" {
			return false
		}
	}
	return true
}

// recall looks into the cache. fresh means that what it holds needs no question.
func (x *exchange) recall() (fresh bool) {
	if len(x.plan.When(ifCached)) == 0 || x.handler.cfg.Jar != nil && len(x.handler.cfg.Jar.Cookies(x.handler.place(x.plan))) > 0 {
		return false
	}
	sent := map[string][]string{}
	for _, s := range x.plan.When("") {
		if name, isField := strings.CutSuffix(s.Verb, ":"); isField {
			sent[textproto.CanonicalMIMEHeaderKey(name)] = s.Args
		}
	}
	if strings.Contains(strings.ToLower(strings.Join(sent["Cache-Control"], ",")), "no-store") {
		return false
	}
	x.memory = &memory{cache: x.handler.cfg.Cache, key: x.handler.name + "://" + x.plan.Addr + " " + x.plan.Steps[0].Args[0], sent: sent}
	x.memory.entry = x.memory.cache.Get(x.memory.key, x.memory.field)
	e := x.memory.entry
	if e == nil || !e.Answers(sent, time.Now()) {
		return false
	}
	x.useEntry()
	return true
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
	x.size, x.stream = framed, m.entry
}

// remember is what the cache makes of the server's answer: a 304 confirms what is stored, a failure may be answered by it.
func (x *exchange) remember(err error) error {
	m := x.memory
	if m == nil || m.entry == nil {
		return err
	}
	switch {
	case err == nil && x.head.status == 304:
		if ferr := m.cache.Freshen(m.entry, x.head.header, m.asked, time.Now()); ferr != nil {
			return fetch.Errorf(fetch.ErrLocal, "the cache: %w", ferr)
		}
		x.drop(x.size)
		x.useEntry()
		return nil
	case (err != nil && unreachable(err) || err == nil && x.head.status >= 500) && x.ctx.Err() == nil && m.entry.ServesErrors(time.Now()):
		if err == nil {
			x.drop(x.size)
		}
		x.useEntry()
		return nil
	}
	m.entry.Close()
	m.entry = nil
	return err
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
	m := x.memory
	if m == nil || m.answer {
		return body
	}
	if !cache.Storable(x.head.status, m.sent, x.head.header) {
		if x.head.status < 500 {
			m.cache.Forget(m.key)
		}
		return body
	}
	w, err := m.cache.New(cache.Meta{URI: m.key, Status: x.head.status, Reason: x.head.reason, Header: maps.Clone(x.head.header),
		Vary: cache.Select(x.head.header, m.field), Requested: m.asked, Received: time.Now()})
	if err != nil {
		return body // a cache that cannot be written is none
	}
	return &kept{body, w}
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
