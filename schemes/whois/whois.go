// Package whois queries directories that respond to one line with text: whois (RFC 3912) and whois++ (RFC 1835).
//
// whois sends the decoded path as its one line and reads to the close:
//
//	whois://whois.iana.org/example.org
//	C: example.org
//	S: refer:        whois.pir.org
//
// whois++ (draft-ietf-asid-whois-url, port 63) does the same, and the server closes the connection unless the line contains ":hold". An
// empty path asks the server to describe itself (RFC 1835 section 2.2.1.3). Constraints (section 2.3: ":hold", ";maxhits=5") and the
// other commands ("polled-by", "help") are ordinary words of the path:
//
//	whois++://acm.org/name=phil%20and%20name=zimmerman
//	S: % 220-whois++ server ready
//	C: name=phil and name=zimmerman
//	S: % 200 Command okay
//	S: # FULL USER ACM-1 PZ01
//	...
//	S: % 226 Transaction complete
//	S: % 203 Bye, bye
//
// The draft puts the words of a search into the path. The words after a "?" are appended to the path. whois:query without a host goes to
// Config.Host.
//
// Results of whois:
//
//	text                                     the document
//	refer:, whois:, Registrar WHOIS Server:  a referral to another server; the text is its body
//	ReferralServer:                          likewise, by a URI
//	No match for, % ERROR:101:, ...          notfound: at the beginning of the text
//	% ERROR:201:, 202:                       refused
//	rate limit exceeded                      unavailable
//	nothing, or only blank lines             truncated
//
// System messages of whois++, which have the form "% 226 text":
//
//	SERVER-TO-ASK and no record     a referral
//	% 226, 201, 203 after a record  the document; truncated without one of them
//	% 226 without a record          notfound
//	110, 204                        limit: too many hits, after the records if there are any
//	403, 515, 516                   refused
//	510                             notfound
//	430, 530                        auth
//	other 4xx                       unavailable
//	other 5xx                       unsupported: a syntax or a search that the server does not have
//	4xx or 5xx after a record       transfer
//
// The form of responses (RFC 1835 section 2.4.3) was compared with a running wppd of ROADS 2.3 (1999). Next-Servers in SERVERS-TO-ASK is
// known from a client of 1995. Unknown numbers of system messages are interpreted by their first digit.
//
// The charset of whois is not specified: RFC 3912 section 4. The views treat text that is not UTF-8 as Windows-1252.
package whois

import (
	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/uri"
)

// Config is the user's configuration. A nil *Config means the zero Config.
type Config struct {
	Host string // the server for whois URIs without a host, HOST[:PORT]; "" means whois.iana.org
}

// Schemes returns whois and whois++.
func Schemes(cfg *Config) []fetch.Scheme {
	host := "whois.iana.org" // it refers to the registry of every top-level domain and address block
	if cfg != nil && cfg.Host != "" {
		host = cfg.Host
	}
	return []fetch.Scheme{
		(&variant{name: "whois", port: 43, host: host, ends: fetch.LineEnds{Replies: "RFC 3912 section 2", Texts: "RFC 3912 section 2"}}).scheme("records of domains, addresses and persons", "RFC 3912", help, outcomes),
		(&variant{name: "whois++", port: 63}).scheme("templates of a distributed directory", "RFC 1835, draft-ietf-asid-whois-url", helpTemplates, messages),
	}
}

func (v *variant) scheme(summary, spec, help string, table replies.Table) fetch.Scheme {
	return fetch.Scheme{
		Names:      []string{v.name},
		Rules:      uri.Rules{DefaultPort: v.port, Hierarchical: true},
		Does:       fetch.Does{Retrieves: true, Refers: true},
		Searches:   true,
		LineEnds:   v.ends,
		MayReferTo: []string{"whois", "whois++"},
		Summary:    summary,
		Spec:       spec,
		Help:       func() string { return help + string(table) },
		Settings:   []fetch.Setting{fetch.CharsetSetting("whois")},
		Read:       v.read,
		Plan:       v.plan,
	}
}

// A variant is one of the two schemes.
type variant struct {
	name string
	port int
	host string // the server for URIs without a host
	ends fetch.LineEnds
}

const help = `example: whois://whois.iana.org/example.org
  example.org

`

const outcomes replies.Table = `text                                     the document
refer:, whois:, Registrar WHOIS Server:  a referral to another server; the text is its body
ReferralServer:                          likewise, by a URI
No match for, % ERROR:101:, ...          notfound: at the beginning of the text
% ERROR:201:, 202:                       refused
rate limit exceeded                      unavailable
nothing, or only blank lines             truncated
`

const helpTemplates = `example: whois++://dir.example/name=lee
  name=lee

The path is the query: words and constraints ("lee:maxhits=5"), handle=HANDLE, or a command ("help", "list", "polled-by"). An empty path
asks the server to describe itself.

`

const messages replies.Table = `SERVER-TO-ASK and no record     a referral
% 226, 201, 203 after a record  the document; truncated without one of them
% 226 without a record          notfound
110, 204                        limit: too many hits, after the records if there are any
403, 515, 516                   refused
510                             notfound
430, 530                        auth
other 4xx                       unavailable
other 5xx                       unsupported: a syntax or a search that the server does not have
4xx or 5xx after a record       transfer
`
