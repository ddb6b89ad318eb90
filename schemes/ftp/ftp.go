package ftp

import (
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Config holds the settings shared by all requests. A nil *Config means the zero Config.
type Config struct {
	// Password is the password of anonymous users for whom the setting ftp.from gives no address.
	Password string
}

// Schemes returns ftp, ftps (TLS from the first byte, port 990) and ftpes (AUTH TLS is required).
func Schemes(cfg *Config) []fetch.Scheme {
	var c Config // a copy: plans are made concurrently
	if cfg != nil {
		c = *cfg
	}
	return []fetch.Scheme{
		c.scheme("ftp", "a file or directory of an FTP server"),
		c.scheme("ftps", "the same inside TLS from the first byte"),
		c.scheme("ftpes", "the same inside TLS that AUTH TLS begins, or not at all"),
	}
}

func (c *Config) scheme(name, summary string) fetch.Scheme {
	return fetch.Scheme{
		Names:      []string{name},
		LoginFirst: true,
		Rules:      uri.Rules{DefaultPort: defaultPort(name), Hierarchical: true},
		Does:       fetch.Does{Retrieves: true},
		LineEnds:   fetch.LineEnds{Replies: "RFC 959 section 4.2"},
		Summary:    summary, Spec: "RFC 1738 section 3.2.2; RFC 959, 2428, 3659, 4217",
		Help:     func() string { return help },
		Settings: settings(),
		Read:     readTarget,
		Plan:     c.plan,
	}
}

// readTarget returns the parsed URI with the command sequence of RFC 1738.
func readTarget(u uri.URI, m uri.Mode) (any, error) {
	t, err := parseTarget(u, m)
	if err != nil {
		return nil, err
	}
	t.Sequence = t.sequence()
	return t, nil
}

const help = `C: USER anonymous      S: 331
C: PASS deref@         S: 230
C: CWD a               S: 250
C: TYPE I              S: 200
C: SIZE f.txt          S: 213 1234
C: MDTM f.txt          S: 213 19941220120000
C: EPSV                S: 229 (|||2345|)
C: RETR f.txt          S: 150, the file on the other connection, 226

reply                                             class
421, 4yz before the data; 530 "too many users"    unavailable
53z; 5yz to USER, PASS, ACCT                      auth
5yz to AUTH, PROT where TLS is required           tls
522 to RETR, MLSD, LIST                           tls
550, 553, 501 to CWD, RETR, MLSD, LIST            notfound; refused where the text mentions permission
450 to the same, with the text "no such"          notfound
500, 502, 504 to the same                         refused
4yz, 5yz after 150; more bytes than SIZE          transfer
fewer bytes than SIZE; neither 226 nor a size     truncated
5yz to REST, more bytes than SIZE after a REST    range
all ways to a data connection refused             connect
a reply that does not fit the command             protocol
`
