package ftp

import (
	"cmp"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// defaultPassword is the password of anonymous users. The convention of the drafts, the user's address, would reveal to the server
// who the user is.
const defaultPassword = "deref@"

// A request is a parsed URI with the options that decide how it is dereferenced. It is never changed after parse.
type request struct {
	*target
	preferences
	op             fetch.Op
	rng            fetch.Range
	same, changed  fetch.Validator
	listed         facts // of a file: what Options.Listed states
	user, password string
	anonymous      bool // the password is a formality
	ascii          bool
	nameKind       nameKind
	mediaType      string
	typeReason     string
}

// parse parses u and o.
func (c *Config) parse(u uri.URI, o *fetch.Options) (*request, error) {
	t, err := parseTarget(u, o.Mode)
	if err != nil {
		return nil, err
	}
	q := &request{target: t, preferences: readPreferences(o), op: o.Op, rng: o.Range, same: o.IfSame, changed: o.IfChanged}
	if err := q.names.convert(q.target); err != nil {
		return nil, err
	}
	q.nameKind = q.names.kind(t)
	q.setLogin(o.Login, c.Password)
	q.chooseTLS()
	q.chooseType(suffixOf(t.Name))
	q.listed = facts{size: -1}
	if o.Listed != nil && o.Op == fetch.Retrieve && o.Range.IsZero() && !q.conditional() && !q.ascii {
		q.listed = listedFacts(o.Listed)
	}
	return q, q.check()
}

// setLogin sets user and password. Without a name the user is anonymous (RFC 1738 §3.2.1); an empty name is sent as such (§3.1).
func (q *request) setLogin(l fetch.Login, guestPassword string) {
	q.user, q.password = l.User, l.Password
	if !l.Set {
		q.user = "anonymous"
	}
	guest := strings.EqualFold(q.user, "anonymous") || strings.EqualFold(q.user, "ftp")
	if !guest || q.password != "" {
		return
	}
	q.anonymous = true
	q.password = cmp.Or(q.from, guestPassword, defaultPassword)
}

// chooseTLS decides whether to send AUTH TLS: by default before a password.
func (q *request) chooseTLS() {
	switch {
	case q.Scheme == "ftps":
		q.ssl = "implicit"
	case q.Scheme == "ftpes":
		q.ssl = "require"
	case q.ssl != "":
	case q.anonymous || q.password == "":
		q.ssl = "never"
	default:
		q.ssl = "try"
	}
}

// chooseType chooses between TYPE A and TYPE I, and the media type, for which there is only the suffix to go by.
func (q *request) chooseType(mediaType, suffix string, text bool) {
	switch code := q.typecode(); {
	case q.isDirectory():
		q.mediaType, q.typeReason = listingType, directoryReason
		return
	case code != "":
		q.ascii = strings.Contains("aAE", code[:1])
	case q.transferType == "a":
		q.ascii = true
	case q.transferType == "auto":
		q.ascii = text
	}
	switch {
	case mediaType != "":
		q.mediaType, q.typeReason = mediaType, "suffix "+suffix
	case q.ascii:
		q.mediaType, q.typeReason = "text/plain", "transferred as text"
	}
}

// sessionKind returns the same string for requests that can use one control connection if their settings are the same, too. After OPTS UTF8 ON, the
// server's bytes may be understood as something else.
func (q *request) sessionKind() string {
	if q.nameKind == byteNames {
		return "bytes"
	}
	return ""
}

// check rejects requests that FTP cannot carry out.
func (q *request) check() error {
	switch {
	case q.rng.IsZero() || q.op == fetch.Metadata:
		return nil
	case q.ascii:
		return fetch.Errorf(fetch.ErrRange, "parts of a file need TYPE I")
	case q.isDirectory():
		return fetch.Errorf(fetch.ErrRange, "a listing has no parts")
	}
	return nil
}

func (q *request) tls() fetch.TLSMode {
	switch q.ssl {
	case "implicit":
		return fetch.ImplicitTLS
	case "never":
		return fetch.NoTLS
	}
	return fetch.ExplicitTLS
}

// direct reports whether the path is sent in one command.
func (q *request) direct() bool {
	return (q.method == "nocwd" || q.method == "auto") && len(q.CWD) > 0 && q.joinable()
}

// typeArgument returns the argument of TYPE: A, I, or the code of RFC 1630 that the URI has.
func (q *request) typeArgument() string {
	switch {
	case q.typecode() != "":
		return typeArgument(q.typecode())
	case q.ascii:
		return "A"
	}
	return "I"
}

// conditional reports whether size and date must be known before the transfer is requested.
func (q *request) conditional() bool {
	return q.rng.From < 0 || q.rng.From != 0 && !q.same.IsZero() || !q.changed.IsZero()
}
