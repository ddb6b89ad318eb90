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
	b := &builder{w: w, steps: make([]fetch.Step, 0, 22+len(w.CWD)), args: make([]string, 0, 14+len(w.CWD))}
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

// builder collects steps.
type builder struct {
	w     *wish
	steps []fetch.Step
	args  []string // of all steps, in one piece
}

func (b *builder) add(cond, verb string, args ...string) {
	s := fetch.Step{Verb: verb, If: cond}
	if n := len(b.args); len(args) > 0 {
		b.args = append(b.args, args...)
		s.Args = b.args[n:len(b.args):len(b.args)]
	}
	b.steps = append(b.steps, s)
}

func (b *builder) secret(cond, verb, arg string, secret bool) {
	b.add(cond, verb, arg)
	b.steps[len(b.steps)-1].Secret = secret
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
