package http

import (
	"net"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Plan makes one Step of each line of the request.
func (h *handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := h.reading(u)
	if err != nil {
		return nil, err
	}
	verb, err := method(o)
	if err != nil {
		return nil, err
	}
	if len(o.Search) > 0 {
		r.search(o)
	}
	v, err := h.version(o)
	if err != nil {
		return nil, err
	}
	via, err := h.proxy(u, &v)
	if err != nil {
		return nil, err
	}
	if via.addr != "" {
		r.Target = "http://" + h.hostField(r) + r.Target // the absolute-form: RFC 9112 section 3.2.2
	}
	p := h.outset(u, r, o)
	if v == "HTTP/0.9" {
		return p, simple(p, verb, r.Target, o)
	}
	fields, err := h.fields(r, o)
	if err != nil {
		return nil, err
	}
	if via.login != "" && !byHand(fields, "Proxy-Authorization") {
		fields = append(fields, field{"Proxy-Authorization", via.login, true})
	}
	if err := h.lines(p, o, verb, r.Target, v, fields); err != nil {
		return nil, err
	}
	for i := range p.Steps {
		p.Steps[i].At = via.addr
	}
	return p, nil
}

// outset is the Plan without its Steps.
func (h *handler) outset(u uri.URI, r reading, o *fetch.Options) *fetch.Plan {
	p := &fetch.Plan{
		URI: u.WithoutUserinfo(), Network: "tcp", Addr: net.JoinHostPort(r.Host, strconv.Itoa(r.Port)), TLS: fetch.NoTLS, Shape: fetch.ShapeDocument,
	}
	if h.tls {
		p.TLS = fetch.ImplicitTLS
	}
	if len(o.Search) > 0 {
		p.Shape = fetch.ShapeSearch
	}
	return p
}

// lines are the Steps of a request that has a header: the lines, and what will be said besides where it comes to that.
func (h *handler) lines(p *fetch.Plan, o *fetch.Options, verb, target, v string, fields []field) error {
	p.Steps = request(verb, target, v, fields)
	if v == "HTTP/2" && h.tls {
		p.Steps[0].If = ifH2
		p.Steps = slices.Insert(p.Steps, 1, fetch.Step{Verb: verb, Args: []string{target, "HTTP/1.1"}, If: ifH1})
	}
	if !byHand(fields, "Authorization") {
		if err := h.authorize(p, o); err != nil {
			return err
		}
	}
	if h.cfg.Jar != nil && !givesCookieField(o) {
		all := strings.Join(append([]string{"<cookies>"}, o.Set[setCookie]...), "; ")
		p.Steps = append(p.Steps, fetch.Step{Verb: "Cookie:", Args: []string{all}, If: ifCookies, Secret: true})
	}
	if h.cacheable(p, o) && asksAgain(o) {
		p.Steps = append(p.Steps, validating()...)
	}
	return nil
}

func method(o *fetch.Options) (string, error) {
	switch o.Op {
	case fetch.Retrieve:
		return "GET", nil
	case fetch.Metadata:
		return "HEAD", nil
	}
	return "", fetch.NoOperation("http", o.Op)
}

// simple is the Simple-Request of HTTP/0.9: a line, and nothing else. RFC 1945 section 4.1.
func simple(p *fetch.Plan, verb, target string, o *fetch.Options) error {
	if verb != "GET" {
		return fetch.Errorf(fetch.ErrUnsupported, "HTTP/0.9 knows GET alone")
	}
	if !o.Range.IsZero() {
		return fetch.Errorf(fetch.ErrRange, "HTTP/0.9 has no ranges")
	}
	p.Steps = []fetch.Step{{Verb: verb, Args: []string{target}}}
	return nil
}

// search puts the words in place of the URI's own search: "?a+b". Where that ends in "=", it is a form with one void field, whose
// value they become.
func (r *reading) search(o *fetch.Options) {
	s := string(uri.JoinWords(o.Mode, o.Search...))
	if r.Search != nil && strings.HasSuffix(*r.Search, "=") {
		s = *r.Search + s
	}
	path, _, _ := strings.Cut(r.Target, "?")
	r.Search, r.Target = &s, path+"?"+wire(s)
}

// request turns a request line and its fields into Steps.
func request(verb, target, version string, fields []field) []fetch.Step {
	n := 1 + len(fields)
	args := make([]string, 2, 2+len(fields)) // one allocation for the arguments of all
	args[0], args[1] = target, version
	steps := make([]fetch.Step, 1, n)
	steps[0] = fetch.Step{Verb: verb, Args: args[:2:2]}
	for _, f := range fields {
		args = append(args, f.value)
		i := len(args)
		steps = append(steps, fetch.Step{Verb: verbOf(f.name), Args: args[i-1 : i : i], Secret: f.secret})
	}
	return steps
}

// verbOf is the name with its colon, for the names of every request without making a string.
func verbOf(name string) string {
	switch name {
	case "Host":
		return "Host:"
	case "User-Agent":
		return "User-Agent:"
	case "Accept":
		return "Accept:"
	}
	return name + ":"
}

// fields are the request's header, ours first. A field that the user gave replaces ours of the same name.
func (h *handler) fields(r reading, o *fetch.Options) ([]field, error) {
	own, drop, err := ownFields(o)
	if err != nil {
		return nil, err
	}
	list := make([]field, 0, 8+len(own))
	add := func(name, value string, secret bool) {
		named := func(f field) bool { return strings.EqualFold(f.name, name) }
		if value != "" && !slices.ContainsFunc(own, named) && !slices.ContainsFunc(drop, func(d string) bool { return strings.EqualFold(d, name) }) {
			list = append(list, field{name, value, secret})
		}
	}
	host := h.hostField(r)
	isHost := func(f field) bool { return strings.EqualFold(f.name, "host") }
	if i := slices.IndexFunc(own, isHost); i >= 0 {
		host = own[i].value // Host comes first (RFC 9110 section 7.2), and once (RFC 9112 section 3.2): the first one given, as in curl
		own = slices.DeleteFunc(own, isHost)
	}
	add("Host", host, false)
	add("User-Agent", h.agent(o), false)
	add("Accept", accept(o.Accept), false)
	add("Accept-Encoding", acceptCoding(o), false)
	add("Referer", h.referer(o), false)
	add("Range", rangeField(o.Range), false)
	if !o.Range.IsZero() {
		add("If-Range", ifRange(o.IfSame), false)
	}
	add("If-None-Match", o.IfChanged.Tag, false)
	add("If-Modified-Since", o.IfChanged.Modified, false)
	add("Cookie", strings.Join(o.Set[setCookie], "; "), true)
	return append(list, own...), nil
}

// byHand reports whether the user gave a field that would be ours otherwise.
func byHand(fields []field, name string) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return strings.EqualFold(f.name, name) })
}

// givesCookieField reports whether the user gave the whole field, which replaces the jar's.
func givesCookieField(o *fetch.Options) bool {
	own, _, err := ownFields(o)
	return err == nil && byHand(own, "Cookie")
}

func (h *handler) agent(o *fetch.Options) string {
	if v, set := o.Set[setAgent]; set {
		return v[len(v)-1]
	}
	if h.cfg.UserAgent != "" {
		return h.cfg.UserAgent
	}
	return "deref"
}

// accept lists the wanted types, best first: each later one with a lower quality (RFC 9110 section 12.5.1).
func accept(types []string) string {
	if len(types) == 0 {
		return "*/*"
	}
	var b strings.Builder
	for i, t := range types {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(t)
		if q := max(1, 9-(i-1)); i > 0 {
			b.WriteString(";q=0." + strconv.Itoa(q))
		}
	}
	return b.String()
}

// referer never tells a fragment, a user or the zone of an address, nor in clear what was read within TLS (RFC 9110 section 10.1.3).
func (h *handler) referer(o *fetch.Options) string {
	u, err := uri.Parse(o.Get(setReferer))
	if err != nil || u.Scheme() == "https" && !h.tls {
		return ""
	}
	return wire(u.WithoutFragment().WithoutUserinfo().WithoutZone().String())
}
