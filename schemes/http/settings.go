package http

import (
	"example.org/deref/fetch"
	"example.org/deref/fetch/secretfile"
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
	setDigest     = "http.want-digest"
)

func settings() []fetch.Setting {
	return append([]fetch.Setting{
		{Key: setHeader, Help: `a field of the request, "Name: value"; "Name:" omits one of ours; repeatable`, Valid: validField(setHeader)},
		{Key: setCredential, Help: `a field that is a secret of one server (Authorization, Cookie, Host), "Name: value"; repeatable`,
			Secret: true, Valid: validField(setCredential)},
		{Key: setCookie, Help: `a cookie, "name=value", in addition to those in the jar; repeatable`, Secret: true, Valid: validCookie},
		{Key: setAgent, Help: "the User-Agent; empty for none"},
		{Key: setReferer, Help: "the Referer; user name, password and fragment are omitted", Bound: true},
		{Key: setVersion, Values: "0.9 1.0 1.1 2", Help: "0.9, 1.0, 1.1 (the default) or 2"},
		{Key: setCompressed, Help: "1 requests a content coding (zstd, br, gzip, deflate) and undoes it"},
		{Key: setDigest, Help: "1 requests Repr-Digest (RFC 9530) or Digest (RFC 3230), and no content coding, which they would cover"},
		{Key: setAuth, Values: authBasic + " " + authDigest, Help: "basic or digest; the default is the strongest that the server offers"},
		fetch.CharsetSetting("http"),
	}, secretfile.CertSettings("http")...)
}

func validField(key string) func(string) error {
	return func(line string) error {
		_, _, err := ownField(key, line)
		return err
	}
}

// clientCert returns the files of the user's certificate.
func clientCert(o *fetch.Options) secretfile.ClientCert { return secretfile.ClientCertOf(o, "http") }

// isOn reports whether a setting of yes or no is set.
func isOn(v string) bool { return v != "" && v != "0" && v != "false" }

// validCookie refuses control characters, which could begin another header field. Several cookies with "; " between them are one value, as
// in curl.
func validCookie(pair string) error {
	if !isFieldValue(pair) {
		e := fetch.BadSetting(setCookie, "control character in a cookie")
		e.Kind = fetch.ErrRefusedURL // it might end the line
		return e
	}
	return nil
}

// versionFor returns the version to use. Without TLS, HTTP/2 requires prior knowledge (RFC 9113 section 3.3). The user has it about the
// server that they name, but not about one that it redirects to.
func (s *scheme) versionFor(o *fetch.Options) string {
	switch v := o.Get(setVersion); {
	case v == "2" && (s.tls || !o.Referred()):
		return "HTTP/2"
	case v == "0.9", v == "1.0":
		return "HTTP/" + v
	}
	return "HTTP/1.1" // without an allocation
}
