package ftp

import (
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Config holds what does not change from request to request. nil, and each zero field, means the default.
type Config struct {
	// Password is what anonymous users send in place of a password where ftp.from does not say their address.
	Password string
	// Suffixes are looked up before the built-in table: by suffix without its dot, in lower case.
	Suffixes map[string]Suffix
}

// A Suffix says what the end of a file's name tells about its content.
type Suffix struct {
	Type string // media type
	Text bool   // sent in TYPE A where ftp.type is auto
}

// Schemes returns ftp, ftps (TLS from the first octet, port 990) and ftpes (AUTH TLS or nothing).
func Schemes(cfg *Config) []fetch.Scheme {
	if cfg == nil {
		cfg = &Config{}
	}
	h := &handler{*cfg}
	return []fetch.Scheme{
		h.scheme("ftp", 21, "a file or folder of an FTP server"),
		h.scheme("ftps", 990, "the same inside TLS from the first octet"),
		h.scheme("ftpes", 21, "the same inside TLS that AUTH TLS begins, or not at all"),
	}
}

func (h *handler) scheme(name string, port int, summary string) fetch.Scheme {
	return fetch.Scheme{
		Names:   []string{name},
		Rules:   uri.Rules{DefaultPort: port, Hierarchical: true},
		Does:    fetch.Does{Retrieves: true},
		Summary: summary, Spec: "RFC 1738 section 3.2.2; RFC 959, 2428, 3659, 4217",
		Help:     help,
		Settings: settings(),
		Read:     readAll,
		Handler:  h,
	}
}

// readAll is a reading with the bare sequence of RFC 1738, for those who want to see it.
func readAll(u uri.URI, m uri.Mode) (any, error) {
	r, err := read(u, m)
	if err != nil {
		return nil, err
	}
	r.Sequence = r.sequence()
	return r, nil
}

// handler is immutable.
type handler struct{ cfg Config }

const help = `C: USER anonymous      S: 331
C: PASS deref@         S: 230
C: CWD a               S: 250
C: TYPE I              S: 200
C: SIZE f.txt          S: 213 1234
C: MDTM f.txt          S: 213 19941220120000
C: EPSV                S: 229 (|||2345|)
C: RETR f.txt          S: 150, the file on the other connection, 226

reply                                            class
421, 4yz before the data; 530 "too many users"   unavailable
53z; 5yz to USER, PASS, ACCT                     auth
5yz to AUTH, PROT where TLS is demanded          tls
522 to RETR, MLSD, LIST                          tls
550, 553, 501 to CWD, RETR, MLSD, LIST           notfound; refused where the text speaks of permission
450 to the same, where the text says "no such"   notfound
4yz, 5yz after 150                               transfer
no reply and no size, fewer bytes than SIZE      truncated
a reply that is not of the command               protocol
425 and no way to a data connection              connect
`
