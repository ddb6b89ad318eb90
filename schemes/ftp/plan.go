package ftp

import (
	"net"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Conditions of the Plan's steps.
const (
	ifTLS       = "AUTH TLS was accepted"
	ifAccount   = "332 asks for an account"
	ifVisited   = "this server was asked for other documents before"
	ifElsewhere = "a kept connection stands in another folder"
	ifNoPORT    = "PORT was refused"
	ifNoEPSV    = "EPSV was refused"
	ifNoPASV    = "PASV was refused"
	ifIPv6      = "the server was reached by IPv6"
	ifSame      = "SIZE and MDTM are still the same"
	ifDirect    = "the direct RETR was answered 550"
	ifFolder    = "RETR was answered 550"
	ifMLST      = "FEAT lists MLST"
	ifNoMLST    = "FEAT does not list MLST"
	ifNoMLSD    = "MLSD was refused"
	ifNoSize    = "SIZE was answered 550"
)

// guestPassword is what anonymous users send: a constant, since the drafts' convention (the user's address) tells the server who
// is reading.
const guestPassword = "deref@"

// wish is everything that Plan and Run go by.
type wish struct {
	*reading
	*wishes
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
	s, err := readWishes(o)
	if err != nil {
		return nil, err
	}
	w := &wish{reading: r, wishes: s, op: o.Op, rng: o.Range, same: o.IfSame, changed: o.IfChanged}
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
		return fetch.Errorf(fetch.ErrUnsupported, "ftp has no operation %q", o.Op)
	case len(o.Search) > 0:
		return fetch.Errorf(fetch.ErrUnsupported, "ftp has no search")
	case w.rng.IsZero() || o.Op == fetch.Metadata:
		return nil
	case w.ascii:
		return fetch.Errorf(fetch.ErrRange, "a part of a file can be asked for in TYPE I only")
	case w.folder():
		return fetch.Errorf(fetch.ErrRange, "a listing has no parts")
	}
	return nil
}

// Plan gives the command sequence of RFC 1738 §3.2.2, or of ftp.method.
func (h *handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	w, err := h.wishOf(u, o)
	if err != nil {
		return nil, err
	}
	p := &fetch.Plan{
		URI: u, Options: o, Network: "tcp", Addr: net.JoinHostPort(w.Host, strconv.Itoa(w.Port)),
		TLS: w.tls(), Shape: fetch.ShapeDocument, Type: w.media,
	}
	if w.folder() {
		p.Shape = fetch.ShapeListing
	}
	b := &builder{w: w, steps: make([]fetch.Step, 0, 24+len(w.CWD))}
	b.hello()
	switch {
	case w.op == fetch.Metadata:
		b.metadata()
	case w.folder():
		b.listing()
	default:
		b.file()
	}
	b.add("", "QUIT")
	b.setups()
	p.Steps = b.steps
	return p, nil
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

// builder collects steps.
type builder struct {
	w     *wish
	steps []fetch.Step
}

func (b *builder) add(cond, verb string, args ...string) {
	b.steps = append(b.steps, fetch.Step{Verb: verb, Args: args, If: cond})
}

func (b *builder) secret(cond, verb, arg string, secret bool) {
	b.steps = append(b.steps, fetch.Step{Verb: verb, Args: []string{arg}, If: cond, Secret: secret})
}

// hello is the login, with TLS before it and PROT P behind it (RFC 4217 §4, §9).
func (b *builder) hello() {
	w := b.w
	explicit := w.ssl == "try" || w.ssl == "require"
	if explicit {
		b.add("", "AUTH", "TLS")
	}
	b.add("", "USER", w.user)
	b.secret("", "PASS", w.password, !w.guest)
	if w.account != "" {
		b.secret(ifAccount, "ACCT", w.account, true)
	}
	cond := ""
	if w.ssl == "try" {
		cond = ifTLS
	}
	if explicit || w.ssl == "implicit" {
		b.add(cond, "PBSZ", "0")
		b.add(cond, "PROT", "P")
	}
	b.add(ifVisited, "PWD")
	b.add(ifElsewhere, "CWD", "<login folder>")
	b.add(ifElsewhere, "PWD")
}

// folders changes to the folder of the object.
func (b *builder) folders(cond string) {
	for _, c := range b.w.CWD {
		b.add(cond, "CWD", c)
	}
}

// joined is the path as UNIX servers read it: the drafts' guess, for the methods that use it.
func (w *wish) joined() string {
	return strings.Join(append(w.CWD[:len(w.CWD):len(w.CWD)], w.Name), "/")
}

// direct reports whether the path goes into one command. Where a segment is void or holds a slash it cannot.
func (w *wish) direct() bool {
	return (w.method == "nocwd" || w.method == "auto") && len(w.CWD) > 0 && !w.rooted()
}

func (b *builder) file() {
	w := b.w
	switch {
	case w.direct():
		b.content("", w.joined())
		if w.method == "nocwd" {
			b.instead(w.joined())
			return
		}
		b.folders(ifDirect)
		b.content(ifDirect, w.Name)
	default:
		b.folders("")
		b.content("", w.Name)
	}
	b.instead(w.Name)
}

// content asks for a file: what is known about it, then itself. SIZE counts octets in TYPE I only (RFC 3659 §4).
func (b *builder) content(cond, name string) {
	b.add(cond, "TYPE", b.w.argument())
	if !b.w.ascii {
		b.add(cond, "SIZE", name)
		b.add(cond, "MDTM", name)
	}
	b.setup(cond)
	if b.w.rng.From != 0 {
		b.restart(cond)
	}
	b.add(cond, "RETR", name)
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

// restart is REST (RFC 3659 §5): only while the file is the same, where the request says which one it wants.
func (b *builder) restart(cond string) {
	if !b.w.same.IsZero() {
		cond = ifSame
	}
	from := strconv.FormatInt(b.w.rng.From, 10)
	if b.w.rng.From < 0 {
		from = "<size" + from + ">"
	}
	b.add(cond, "REST", from)
}

// instead tries what is no file as a folder.
func (b *builder) instead(name string) {
	b.add(ifFolder, "CWD", name)
	b.list(ifFolder)
}

func (b *builder) listing() {
	b.into()
	b.list("")
}

// into changes to the folder that is itself the object.
func (b *builder) into() {
	w := b.w
	if w.method == "nocwd" && w.direct() {
		b.add("", "CWD", strings.TrimSuffix(w.joined(), "/"))
		return
	}
	b.folders("")
	if w.Name != "" {
		b.add("", "CWD", w.Name)
	}
}

// list lists the folder that the session stands in. An argument would be taken apart at blanks by some servers (pure-ftpd).
func (b *builder) list(cond string) {
	b.add(cond, "FEAT")
	b.setup(cond)
	b.add(ifMLST, "MLSD")
	b.add(ifNoMLST, "LIST")
	b.setup(ifNoMLSD)
	b.add(ifNoMLSD, "LIST")
}

func (b *builder) metadata() {
	w := b.w
	if w.folder() {
		b.into()
		return
	}
	name := w.Name
	if w.method == "nocwd" && w.direct() {
		name = w.joined()
	} else {
		b.folders("")
	}
	if !w.ascii {
		b.add("", "TYPE", w.argument())
		b.add("", "SIZE", name)
	}
	b.add("", "MDTM", name)
	b.add(ifNoSize, "CWD", name)
}

// setup arranges the data connection in the way that is tried first.
func (b *builder) setup(cond string) {
	switch {
	case b.w.active == "yes":
		b.add(cond, "PORT", "<address>")
	case b.w.noEPSV:
		b.add(cond, "PASV")
	default:
		b.add(cond, "EPSV")
	}
}

// setups are the other ways (RFC 2428 §4; RFC 1579).
func (b *builder) setups() {
	w := b.w
	if w.op == fetch.Metadata {
		return
	}
	if w.active == "yes" && !w.noEPSV {
		b.add(ifNoPORT, "EPSV")
	}
	switch {
	case w.active == "yes" && w.noEPSV:
		b.add(ifNoPORT, "PASV")
	case !w.noEPSV:
		b.add(ifNoEPSV, "PASV")
	}
	if w.active == "fallback" {
		b.add(ifNoPASV, "PORT", "<address>")
	}
	if w.active == "yes" || w.active == "fallback" {
		b.add(ifIPv6, "EPRT", "<address>")
	}
}
