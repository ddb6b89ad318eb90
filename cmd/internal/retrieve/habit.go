package retrieve

import (
	"errors"
	"net/netip"
	"slices"
	"strings"

	"example.org/deref/cmd/internal/request"
	"example.org/deref/fetch"
)

// withHabitHint adds a hint to the error of an argument that is not a URI, if it is probably the value of a flag that takes none here.
func (g *getter) withHabitHint(t request.Target, err error) error {
	e, ok := errors.AsType[*fetch.Error](err)
	if ok && e.Kind == fetch.ErrUnsupported && t.Err == nil {
		return g.withSchemeHint(t, e)
	}
	if !ok || e.Kind != fetch.ErrRefusedURL || t.Err != nil || t.URI.IsAbs() {
		return err
	}
	hint := e.Hint
	switch { // wget's flags of these names take a value
	case isServer(t.Arg):
		hint = withScheme(t.Arg)
	case g.flags.remoteName && t.Arg == "-":
		hint = "-O takes no file name; deref -o - prints the document, which is the default"
	case g.flags.remoteName:
		hint = "-O takes no file name; deref -o " + t.Arg + " writes to that file"
	case g.flags.include:
		hint = "-i takes no file; --input FILE does"
	case len(g.options.Set["ftp.active"]) > 0:
		hint = "-P takes no directory; --output-dir DIR does"
	}
	return &fetch.Error{Kind: e.Kind, Text: e.Text, Hint: hint, Err: err}
}

// curlSchemes are schemes that curl has, and the program besides curl that users know.
const curlSchemes = " scp:scp sftp:sftp tftp:tftp smb:smbclient smbs:smbclient rtsp: rtmp: mqtt: pop3: pop3s: ws: wss: "

// withSchemeHint adds a hint to the error of a scheme without a handler: a host and port were probably typed without a scheme, or the scheme is one
// that curl has.
func (g *getter) withSchemeHint(t request.Target, e *fetch.Error) error {
	scheme := t.URI.Scheme()
	if _, known := g.schemes.Lookup(scheme); known {
		return e
	}
	if isServer(t.Arg) {
		return &fetch.Error{Kind: e.Kind, Text: e.Text, Hint: withScheme(t.Arg), Err: e}
	}
	_, rest, ok := strings.Cut(curlSchemes, " "+scheme+":")
	if !ok {
		return e
	}
	other, _, _ := strings.Cut(rest, " ")
	hint := scheme + " is not supported; curl retrieves it"
	if other != "" {
		hint = scheme + " is not supported; curl and " + other + " retrieve it"
	}
	return &fetch.Error{Kind: e.Kind, Text: e.Text, Hint: hint, Err: e}
}

// isServer reports whether an argument is a host without a scheme: localhost:8080, www.example.org/path, 192.0.2.1.
func isServer(arg string) bool {
	authority, _, _ := strings.Cut(arg, "/")
	host, port, hasPort := strings.Cut(authority, ":")
	if hasPort && (port == "" || strings.Trim(port, "0123456789") != "" || len(port) > 5) {
		return false
	}
	if host == "localhost" {
		return true
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	name, top := host, ""
	if dot := strings.LastIndexByte(host, '.'); dot > 0 {
		name, top = host[:dot], host[dot+1:]
	}
	isName := strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-.") == ""
	return isName && (hasPort || strings.HasPrefix(host, "www.") || slices.Contains([]string{"com", "org", "net", "edu", "gov", "io", "dev", "de", "uk", "example"}, strings.ToLower(top)))
}

// withScheme returns the hint for a host without a scheme.
func withScheme(arg string) string {
	return "a URI begins with its scheme: deref " + quoted("http://"+arg)
}

// quoted returns a word as a shell reads it.
func quoted(word string) string {
	if !strings.ContainsAny(word, " \t\n!\"#$&'()*;<>?[\\]^`{|}~") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
