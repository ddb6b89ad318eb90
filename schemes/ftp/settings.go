package ftp

import "example.org/deref/fetch"

// settings declares what ftp reads in Options.Set.
func settings() []fetch.Setting {
	return []fetch.Setting{
		{Key: "ftp.method", Values: "multicwd nocwd auto",
			Help: "multicwd: CWD for each segment; nocwd: the path in one command; auto: that first, then multicwd"},
		{Key: "ftp.type", Values: "a i auto", Help: "a, i, or auto: by the name's suffix; ;type= in the URI takes precedence"},
		{Key: "ftp.active", Values: "no fallback yes",
			Help: "no; fallback: the server connects to us where EPSV and PASV are refused; yes: try that first"},
		{Key: "ftp.epsv", Values: "yes no", Help: "no: PASV without trying EPSV"},
		{Key: "ftp.data-address", Values: "control same-network any",
			Help: "which data address to use if 227 names another host: that of the control connection; " +
				"the named one if both are in the same IPv4 /24; the named one"},
		{Key: "ftp.pipeline", Values: "yes no", Help: "no: each command waits for the reply to the previous one"},
		{Key: "ftp.ssl", Values: "never try require",
			Help: "never, try, require: AUTH TLS; without it, try if a password is sent, else never"},
		{Key: "ftp.charset", Help: "the charset of the server's file names, such as koi8-r or cp437, if it is not UTF-8; URIs have them in UTF-8",
			Valid: checkCharset, Bound: true},
		{Key: setDigest, Values: "yes no", Help: "yes: HASH or XSHA256 before the transfer; the document's Repr-Digest is the digest that the server states"},
		{Key: "ftp.account", Help: "the argument of ACCT, for servers that require an account", Secret: true},
		{Key: "ftp.from", Help: "the user's address, sent as password of anonymous users"},
	}
}

// preferences are the settings of one request.
type preferences struct {
	method, transferType, active, ssl string
	dataAddress                       string
	noEPSV, serial, digest            bool
	account, from                     string
	names                             names
}

func readPreferences(o *fetch.Options) preferences {
	return preferences{
		method: o.Get("ftp.method"), transferType: o.Get("ftp.type"), active: o.Get("ftp.active"), ssl: o.Get("ftp.ssl"),
		dataAddress: o.Get("ftp.data-address"),
		noEPSV:      o.Get("ftp.epsv") == "no", serial: o.Get("ftp.pipeline") == "no", digest: o.Get(setDigest) == "yes",
		account: o.Get("ftp.account"), from: o.Get("ftp.from"), names: namesOf(o),
	}
}
