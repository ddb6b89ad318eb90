package ftp

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// guestPassword is what anonymous users send: a constant, since the drafts' convention (the user's address) tells the server who
// is reading.
const guestPassword = "deref@"

// wish is everything that Plan and Run go by.
type wish struct {
	*reading
	wishes
	op             fetch.Op
	rng            fetch.Range
	same, changed  fetch.Validator
	user, password string
	guest          bool
	ascii          bool
	media, reason  string
}

// wishOf reads a request; it is pure, so Run reads again what Plan has read.
func (h *handler) wishOf(u uri.URI, o *fetch.Options) (*wish, error) {
	r, err := read(u, o.Mode)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	w := &wish{reading: r, wishes: readWishes(o), op: o.Op, rng: o.Range, same: o.IfSame, changed: o.IfChanged}
	w.login(o.Login, h.cfg.Password)
	w.secure(u.Scheme())
	h.represent(w)
	return w, w.check(o)
}

// login chooses who the user is: without a name it is the anonymous one (RFC 1738 §3.2.1); a void name is sent as such (§3.1).
func (w *wish) login(l fetch.Login, guest string) {
	w.user, w.password = l.User, l.Password
	if !l.Set {
		w.user = "anonymous"
	}
	w.guest = strings.EqualFold(w.user, "anonymous") || strings.EqualFold(w.user, "ftp")
	if !w.guest || w.password != "" {
		w.guest = false
		return
	}
	switch {
	case w.from != "":
		w.password = w.from
	case guest != "":
		w.password = guest
	default:
		w.password = guestPassword
	}
}

// secure decides on AUTH TLS: what a server offers is taken before a password is sent.
func (w *wish) secure(scheme string) {
	switch {
	case scheme == "ftps":
		w.ssl = "implicit"
	case scheme == "ftpes":
		w.ssl = "require"
	case w.ssl != "":
	case w.guest || w.password == "":
		w.ssl = "never"
	default:
		w.ssl = "try"
	}
}

// represent chooses between TYPE A and TYPE I, and the media type, which the suffix alone can tell.
func (h *handler) represent(w *wish) {
	suffix, s := h.suffixOf(w.Name)
	switch code := w.typecode(); {
	case w.folder():
		w.media, w.reason = listingType, "a folder"
		return
	case code != "":
		w.ascii = strings.Contains("aAE", code[:1])
	case w.kind == "a":
		w.ascii = true
	case w.kind == "auto":
		w.ascii = s.Text
	}
	switch {
	case s.Type != "":
		w.media, w.reason = s.Type, "suffix ."+suffix
	case w.ascii:
		w.media, w.reason = "text/plain", "transferred as text"
	}
}

// check refuses what FTP cannot do.
func (w *wish) check(o *fetch.Options) error {
	switch {
	case o.Op != fetch.Retrieve && o.Op != fetch.Metadata:
		return fetch.NoOperation("ftp", o.Op)
	case w.rng.IsZero() || o.Op == fetch.Metadata:
		return nil
	case w.ascii:
		return fetch.Errorf(fetch.ErrRange, "a part of a file can be asked for in TYPE I only")
	case w.folder():
		return fetch.Errorf(fetch.ErrRange, "a listing has no parts")
	}
	return nil
}

func (w *wish) tls() fetch.TLSMode {
	switch w.ssl {
	case "implicit":
		return fetch.ImplicitTLS
	case "never":
		return fetch.NoTLS
	}
	return fetch.ExplicitTLS
}

// joined is the path as UNIX servers read it: the drafts' guess, for the methods that use it.
func (w *wish) joined() string {
	return strings.Join(append(w.CWD[:len(w.CWD):len(w.CWD)], w.Name), "/")
}

// direct reports whether the path goes into one command. Where a segment is void or holds a slash it cannot.
func (w *wish) direct() bool {
	return (w.method == "nocwd" || w.method == "auto") && len(w.CWD) > 0 && !w.rooted()
}

// argument is that of TYPE: A, I, or the code of RFC 1630 as the URI has it.
func (w *wish) argument() string {
	switch {
	case w.typecode() != "":
		return typeArgument(w.typecode())
	case w.ascii:
		return "A"
	}
	return "I"
}
