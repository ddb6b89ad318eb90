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
	ifElsewhere = "a kept connection is in another directory"
	ifNoPORT    = "PORT was refused"
	ifNoEPSV    = "EPSV was refused"
	ifNoPASV    = "PASV was refused"
	ifIPv6      = "the server was reached by IPv6"
	ifSame      = "SIZE and MDTM are still the same"
	ifDirect    = "the direct RETR was answered 550"
	ifDirectory = "RETR was answered 550"
	ifUTF8      = "FEAT lists UTF8"
	ifMLST      = "FEAT lists MLST"
	ifNoMLST    = "FEAT does not list MLST"
	ifNoMLSD    = "MLSD was refused"
	ifNoHash    = "HASH was refused"
	ifNoSize    = "SIZE was answered 550"
)

// plan returns the command sequence of RFC 1738 §3.2.2, or that of ftp.method.
func (c *Config) plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	q, err := c.parse(u, o)
	if err != nil {
		return nil, err
	}
	p := &fetch.Plan{
		Network: "tcp", Addr: net.JoinHostPort(q.Host, strconv.Itoa(q.Port)), TLS: q.tls(),
		Shape: fetch.ShapeDocument, Type: q.mediaType, Run: q.run,
	}
	if q.isDirectory() {
		p.Shape = fetch.ShapeListing
	}
	b := &builder{request: q}
	b.login()
	switch {
	case q.op == fetch.Metadata:
		b.metadata()
	case q.isDirectory():
		b.listing()
	default:
		b.file()
	}
	b.add("", "QUIT")
	b.otherModes()
	p.Steps = b.steps
	return p, nil
}

// builder collects the steps of a request.
type builder struct {
	*request
	steps []fetch.Step
}

func (b *builder) add(cond, verb string, args ...string) {
	b.steps = append(b.steps, fetch.Step{Verb: verb, If: cond, Args: args})
}

func (b *builder) secret(cond, verb, arg string, secret bool) {
	b.add(cond, verb, arg)
	b.steps[len(b.steps)-1].Secret = secret
}

// login adds the login, with AUTH TLS before it and PROT P after it (RFC 4217 §4, §9).
func (b *builder) login() {
	explicit := b.ssl == "try" || b.ssl == "require"
	if explicit {
		b.add("", "AUTH", "TLS")
	}
	b.add("", "USER", b.user)
	b.secret("", "PASS", b.password, !b.anonymous)
	if b.account != "" {
		b.secret(ifAccount, "ACCT", b.account, true)
	}
	cond := ""
	if b.ssl == "try" {
		cond = ifTLS
	}
	if explicit || b.ssl == "implicit" {
		b.add(cond, "PBSZ", "0")
		b.add(cond, "PROT", "P")
	}
	if b.nameKind == utf8Names {
		b.useUTF8("")
	}
	b.add(ifVisited, "PWD")
	b.add(ifElsewhere, "CWD", "<login directory>")
	b.add(ifElsewhere, "PWD")
}

// useUTF8 adds the command after which some servers use UTF-8 for names (draft-ietf-ftpext-utf-8-option-00). Others, which always do (RFC 2640),
// or never do, refuse it or change nothing.
//
// QUIRK: proftpd 1.3.8 with "UseEncoding UTF-8 KOI8-R" uses KOI8-R before it and UTF-8 after it (observed), and IIS documents the same of the
// code page of Windows. vsftpd 3.0.3 replies 200, pure-ftpd 1.0.50 replies 504, and both use UTF-8 with or without it (observed).
func (b *builder) useUTF8(cond string) { b.add(cond, "OPTS", "UTF8", "ON") }

// changeDirectories adds the CWDs to the directory of the file.
func (b *builder) changeDirectories(cond string) {
	for _, c := range b.CWD {
		b.add(cond, "CWD", c)
	}
}

func (b *builder) file() {
	switch {
	case b.direct():
		b.retrieve("", b.joined())
		if b.method == "nocwd" {
			b.orDirectory(b.joined())
			return
		}
		b.changeDirectories(ifDirect)
		b.retrieve(ifDirect, b.Name)
	default:
		b.changeDirectories("")
		b.retrieve("", b.Name)
	}
	b.orDirectory(b.Name)
}

// retrieve adds SIZE and MDTM of a file, unless they are known, and its transfer. SIZE counts bytes in TYPE I only (RFC 3659 §4).
func (b *builder) retrieve(cond, name string) {
	b.add(cond, "TYPE", b.typeArgument())
	if !b.ascii && b.listed.size < 0 {
		b.add(cond, "SIZE", name)
	}
	if !b.ascii && b.listed.timeVal == "" {
		b.add(cond, "MDTM", name)
	}
	if cond == "" {
		b.hashes(name)
	}
	b.dataConnection(cond)
	if b.rng.From != 0 {
		b.restart(cond)
	}
	b.add(cond, "RETR", name)
}

// restart adds REST (RFC 3659 §5). If the request names a version of the file, it is sent only if the file is still the same.
func (b *builder) restart(cond string) {
	if !b.same.IsZero() {
		cond = ifSame
	}
	from := strconv.FormatInt(b.rng.From, 10)
	if b.rng.From < 0 {
		from = "<size" + from + ">"
	}
	b.add(cond, "REST", from)
}

// orDirectory adds the steps that list the path as a directory if it is not a file.
func (b *builder) orDirectory(name string) {
	b.add(ifDirectory, "CWD", name)
	b.list(ifDirectory)
}

func (b *builder) listing() {
	b.enterDirectory()
	b.list("")
}

// enterDirectory adds the CWDs to a directory that is itself the object.
func (b *builder) enterDirectory() {
	if b.method == "nocwd" && b.direct() {
		b.add("", "CWD", strings.TrimSuffix(b.joined(), "/"))
		return
	}
	b.changeDirectories("")
	if b.Name != "" {
		b.add("", "CWD", b.Name)
	}
}

// list adds the listing of the current directory. It has no argument: some servers split an argument at blanks (pure-ftpd).
func (b *builder) list(cond string) {
	b.add(cond, "FEAT")
	if b.nameKind == plainNames {
		b.useUTF8(ifUTF8)
	}
	b.dataConnection(cond)
	b.add(ifMLST, "MLSD")
	b.add(ifNoMLST, "LIST")
	b.dataConnection(ifNoMLSD)
	b.add(ifNoMLSD, "LIST")
}

func (b *builder) metadata() {
	if b.isDirectory() {
		b.enterDirectory()
		return
	}
	name := b.Name
	if b.method == "nocwd" && b.direct() {
		name = b.joined()
	} else {
		b.changeDirectories("")
	}
	if !b.ascii {
		b.add("", "TYPE", b.typeArgument())
		b.add("", "SIZE", name)
	}
	b.add("", "MDTM", name)
	b.add(ifNoSize, "CWD", name)
}

// dataConnection adds the command for the data connection that is tried first.
func (b *builder) dataConnection(cond string) {
	switch {
	case b.active == "yes":
		b.add(cond, "PORT", "<address>")
	case b.noEPSV:
		b.add(cond, "PASV")
	default:
		b.add(cond, "EPSV")
	}
}

// otherModes adds the commands to fall back to (RFC 2428 §4; RFC 1579).
func (b *builder) otherModes() {
	if b.op == fetch.Metadata {
		return
	}
	if b.active == "yes" && !b.noEPSV {
		b.add(ifNoPORT, "EPSV")
	}
	switch {
	case b.active == "yes" && b.noEPSV:
		b.add(ifNoPORT, "PASV")
	case !b.noEPSV:
		b.add(ifNoEPSV, "PASV")
	}
	if b.active == "fallback" {
		b.add(ifNoPASV, "PORT", "<address>")
	}
	if b.active == "yes" || b.active == "fallback" {
		b.add(ifIPv6, "EPRT", "<address>")
	}
}
