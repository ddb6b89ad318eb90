package http

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/clientcert"
)

const (
	setHeader     = "http.header"
	setCredential = "http.credential-header"
	setCookie     = "http.cookie"
	setAgent      = "http.user-agent"
	setReferer    = "http.referer"
	setVersion    = "http.version"
	setAuth       = "http.auth"
	setCompressed = "http.compressed"
)

func settings() []fetch.Setting {
	return append([]fetch.Setting{
		{Key: setHeader, Help: `a field of the request, "Name: value"; "Name:" leaves one of ours out; repeatable`, Valid: validField(setHeader)},
		{Key: setCredential, Help: `a field that is a secret of one server (Authorization, Cookie, Host), "Name: value"; repeatable`, Secret: true, Valid: validField(setCredential)},
		{Key: setCookie, Help: `a cookie, "name=value", besides those of the jar; repeatable`, Secret: true, Valid: validCookie},
		{Key: setAgent, Help: "the User-Agent; void for none"},
		{Key: setReferer, Help: "the Referer; user name, password and fragment are left out", Bound: true},
		{Key: setVersion, Values: "0.9 1.0 1.1 2", Help: "0.9, 1.0, 1.1 (the default) or 2"},
		{Key: setCompressed, Help: "1 asks for a content coding (zstd, br, gzip, deflate, compress) and undoes it"},
		{Key: setAuth, Values: authBasic + " " + authDigest, Help: "basic or digest; otherwise what the server asks for, the stronger one first"},
	}, clientcert.Settings("http")...)
}

// A field is one line of a request's header.
type field struct {
	name, value string
	secret      bool
}

// ownFields reads the fields that the user gave by hand. drop holds names that are to be left out.
func ownFields(o *fetch.Options) (list []field, drop []string, err error) {
	for _, key := range [...]string{setHeader, setCredential} {
		for _, line := range o.Set[key] {
			f, dropped, err := ownField(key, line)
			if err != nil {
				return nil, nil, err
			}
			if dropped {
				drop = append(drop, f.name)
				continue
			}
			list = append(list, f)
		}
	}
	return list, drop, nil
}

// ownField reads one of them; dropped is that of ours which it leaves out.
func ownField(key, line string) (f field, dropped bool, err error) {
	name, value, ok := strings.Cut(line, ":")
	f = field{name: name, value: strings.Trim(value, " \t"), secret: key == setCredential}
	switch {
	case !ok && strings.HasSuffix(name, ";"): // curl's spelling of a field without value
		f.name = strings.TrimSuffix(name, ";")
	case !ok:
		return f, false, fetch.BadSetting(key, `a field is written "Name: value"`)
	}
	return f, ok && f.value == "", checkField(f)
}

func validField(key string) func(string) error {
	return func(line string) error {
		_, _, err := ownField(key, line)
		return err
	}
}

// validCookie refuses what would begin another header field. Several cookies with "; " between are one value, as in curl.
func validCookie(pair string) error {
	if !isFieldValue(pair) {
		e := fetch.BadSetting(setCookie, "a control character in a cookie")
		e.Kind = fetch.ErrRefusedURL // it might end the line
		return e
	}
	return nil
}

func checkField(f field) error {
	if !isToken(f.name) {
		e := fetch.BadSetting(setHeader, "a field's name is a token (RFC 9110 section 5.1)")
		e.Kind = fetch.ErrRefusedURL // it might end the line
		return e
	}
	switch strings.ToLower(f.name) {
	case "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade", "expect", "proxy-connection":
		return fetch.BadSetting(setHeader, "%s frames the message and cannot be given by hand", f.name)
	case "authorization", "cookie", "proxy-authorization", "host":
		if !f.secret && f.value != "" {
			return fetch.BadSetting(setHeader, "%s belongs to one server: it is given by %s", f.name, setCredential)
		}
	}
	return nil
}

// isToken reports whether s is a token of RFC 9110 section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c < 64 && lowToken>>c&1 == 0 || c >= 64 && highToken>>(c-64)&1 == 0 { // a shift by 64 and more gives none
			return false
		}
	}
	return s != ""
}

// The characters of a token below and above 64, a bit for each.
const (
	lowToken  uint64 = 1<<'!' | 0b11111<<'#' | 0b11<<'*' | 0b11<<'-' | (1<<10-1)<<'0'         // ! #$%&' *+ -. digits
	highToken uint64 = ((1<<26-1)<<'A' | 0b111<<'^' | (1<<26-1)<<'a' | 1<<'|' | 1<<'~') >> 64 // letters ^_` | ~
)

// version returns the version to speak. Without TLS, HTTP/2 needs prior knowledge (RFC 9113 section 3.3), which the user has of the server that
// they name, and not of the one that it redirects to.
func (h *handler) version(o *fetch.Options) (string, error) {
	switch v := o.Get(setVersion); v {
	case "2":
		if !h.tls && o.Referred() {
			return "HTTP/1.1", nil
		}
		return "HTTP/2", nil
	case "", "1.1":
		return "HTTP/1.1", nil
	case "0.9", "1.0":
		return "HTTP/" + v, nil
	default:
		return "", fetch.BadSetting(setVersion, "HTTP/%s is not spoken here", v)
	}
}
