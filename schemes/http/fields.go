package http

import (
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/uri"
)

// A field is one line of a request's header.
type field struct {
	name   string // with the colon, as in a Step
	value  string
	secret bool
}

// fields appends the request's header to list: our fields, then the user's. A field that the user sets replaces ours of the same name.
func (r *request) fields(list []field, o *fetch.Options) ([]field, error) {
	own, drop, err := ownFields(o)
	if err != nil {
		return nil, err
	}
	r.ownCookies = contains(own, "Cookie:")
	host := r.hostField()
	isHost := func(f field) bool { return strings.EqualFold(f.name, "host:") }
	if i := slices.IndexFunc(own, isHost); i >= 0 {
		host = own[i].value // Host comes first (RFC 9110 section 7.2), and only once (RFC 9112 section 3.2): the user's first one, as in curl
		own = slices.DeleteFunc(own, isHost)
	}
	var codings, digest, oldDigest, sameAs string
	if r.acceptsCodings(o) {
		codings = acceptedCodings
	}
	if isOn(o.Get(setDigest)) {
		digest, oldDigest = "sha-256=10, sha-512=9", "sha-256, sha-512;q=0.9" // RFC 9530 section 4, RFC 3230 section 4.3.1
	}
	if !o.Range.IsZero() {
		sameAs = ifRange(o.IfSame)
	}
	named := slices.Concat(own, drop)
	for _, f := range [...]field{
		{"Host:", host, false}, {"User-Agent:", r.agent(o), false}, {"Accept:", accept(o.Accept), false}, {"Accept-Encoding:", codings, false},
		{"Want-Repr-Digest:", digest, false}, {"Want-Digest:", oldDigest, false}, {"Referer:", r.referer(o), false},
		{"Range:", rangeField(o.Range), false}, {"If-Range:", sameAs, false}, {"If-None-Match:", o.IfChanged.Tag, false},
		{"If-Modified-Since:", o.IfChanged.Modified, false}, {"Cookie:", strings.Join(r.cookies, "; "), true},
	} {
		if f.value != "" && !contains(named, f.name) {
			list = append(list, f)
		}
	}
	list = append(list, own...)
	if r.proxy.login != "" && !contains(list, proxyField) {
		list = append(list, field{proxyField, r.proxy.login, true})
	}
	return list, nil
}

// contains reports whether a field has the name.
func contains(fields []field, name string) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return strings.EqualFold(f.name, name) })
}

func (s *scheme) agent(o *fetch.Options) string {
	if v, set := o.Set[setAgent]; set {
		return v[len(v)-1]
	}
	if s.UserAgent != "" {
		return s.UserAgent
	}
	return "deref"
}

// accept lists the wanted types, best first, each later one with a lower quality (RFC 9110 section 12.5.1).
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

// referer returns the value of Referer. It contains no fragment, user or zone, and is empty if a URI read within TLS would be sent without
// TLS (RFC 9110 section 10.1.3).
func (s *scheme) referer(o *fetch.Options) string {
	given := o.Get(setReferer)
	if given == "" {
		return ""
	}
	u, err := uri.Parse(given)
	if err != nil || u.Scheme() == "https" && !s.tls {
		return ""
	}
	return escape(u.WithoutFragment().WithoutUserinfo().WithoutZone().String())
}

// ownFields parses the fields that the user sets. drop holds those that omit ours of the same name.
func ownFields(o *fetch.Options) (list, drop []field, err error) {
	for _, key := range [...]string{setHeader, setCredential} {
		for _, line := range o.Set[key] {
			f, dropped, err := ownField(key, line)
			if err != nil {
				return nil, nil, err
			}
			if dropped {
				drop = append(drop, f)
				continue
			}
			list = append(list, f)
		}
	}
	return list, drop, nil
}

// ownField parses one of them. dropped reports that it omits our field of that name.
func ownField(key, line string) (f field, dropped bool, err error) {
	name, value, ok := strings.Cut(line, ":")
	value = strings.Trim(value, " \t")
	if dropped = ok && value == ""; !ok {
		if name, ok = strings.CutSuffix(name, ";"); !ok { // curl's spelling of a field with an empty value
			return f, false, fetch.BadSetting(key, `a field is written "Name: value"`)
		}
	}
	f = field{name + ":", value, key == setCredential}
	return f, dropped, checkField(name, f)
}

func checkField(name string, f field) error {
	if !isToken(name) {
		e := fetch.BadSetting(setHeader, "the name of a field is not a token (RFC 9110 section 5.1)")
		e.Kind = fetch.ErrRefusedURL // it might end the line
		return e
	}
	switch strings.ToLower(name) {
	case "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade", "expect", "proxy-connection":
		return fetch.BadSetting(setHeader, "%s controls the framing of the message and cannot be set", name)
	case "range": // a response to one that the request does not know of is not the whole document
		if f.value != "" {
			e := fetch.BadSetting(setHeader, "a part of the document is requested by the range of the request, not by a field")
			e.Hint = hint.Range
			return e
		}
	case "authorization", "cookie", "proxy-authorization", "host":
		if !f.secret && f.value != "" {
			return fetch.BadSetting(setHeader, "%s belongs to one server and must be set by %s", name, setCredential)
		}
	}
	return nil
}
