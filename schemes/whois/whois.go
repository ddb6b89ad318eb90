// Package whois asks directories that answer one line with text: whois (RFC 3912) and whois++ (RFC 1835).
//
// whois sends the decoded path as its one line and reads to the close:
//
//	whois://whois.iana.org/example.org
//	C: example.org
//	S: refer:        whois.pir.org
//
// whois++ (draft-ietf-asid-whois-url, port 63) does the same and closes itself only if it is not asked to hold; a void path asks
// the server to describe itself (RFC 1835 section 2.2.1.3). Constraints (section 2.3: ":hold", ";maxhits=5") and the other commands
// ("polled-by", "help") are words of the path like any:
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
// The draft leaves the words of a search to the path. A URI with a "?" is read as if these words were the path, or followed it.
// whois:query without a host asks Config.Host.
//
//	reply                                        error class
//	text                                         -
//	refer:, whois:, Registrar WHOIS Server:,
//	  ReferralServer: of another server          - (a referral; the text is its body)
//	a text that begins "No match for", ...       notfound
//	% ERROR:201:, 202:                           refused
//	nothing, or blank lines only                 truncated
//	whois++
//	# SERVER(S)-TO-ASK and no record             - (a referral)
//	% 226, 201, 203 behind a record              the document; without one of them truncated
//	% 226 without a record, % 510                notfound
//	% 110, 204 too many hits                     limit, behind the records that came
//	% 403, 515, 516                              refused
//	% 430, 530                                   auth
//	% 4xx                                        unavailable
//	% 5xx                                        unsupported
//	% 4xx, 5xx behind a record                   transfer
//
// The form of answers (RFC 1835 section 2.4.3) is held against wppd of ROADS 2.3 (1999), a server that was run and asked; Next-Servers
// in SERVERS-TO-ASK is known from a client of 1995. Numbers of system messages that are not known count by their first digit.
//
// The charset of whois is not known: RFC 3912 section 4. The views take what is no UTF-8 for Windows-1252.
package whois

import (
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Config is what outlives single requests; nil is the zero value.
type Config struct {
	Host string // who is asked by a whois URI without a host, HOST[:PORT]; void: whois.iana.org
}

// Schemes returns whois and whois++.
func Schemes(cfg *Config) []fetch.Scheme {
	host := "whois.iana.org" // IANA's server refers to the registry of every top-level domain and address block
	if cfg != nil && cfg.Host != "" {
		host = cfg.Host
	}
	return []fetch.Scheme{
		scheme(handler{name: "whois", port: 43, host: host}, "records of domains, addresses and persons", "RFC 3912", help),
		scheme(handler{name: "whois++", port: 63}, "templates of a distributed directory", "RFC 1835, draft-ietf-asid-whois-url", helpTemplates),
	}
}

func scheme(h handler, summary, spec, help string) fetch.Scheme {
	return fetch.Scheme{
		Names:      []string{h.name},
		Rules:      uri.Rules{DefaultPort: h.port, Hierarchical: true},
		Does:       fetch.Does{Retrieves: true, Refers: true},
		Searches:   true,
		MayReferTo: []string{"whois", "whois++"},
		Summary:    summary,
		Spec:       spec,
		Help:       help,
		Read:       h.read,
		Handler:    h,
	}
}

// handler is one of the two schemes. It is immutable.
type handler struct {
	name string
	port int
	host string // of a URI without one
}

const help = `example: whois://whois.iana.org/example.org
  example.org

reply                              error class
text                               -
refer:, whois:, ReferralServer:,
  Registrar WHOIS Server:          - (a referral; --no-follow shows the text)
"No match for", % ERROR:101:       notfound
% ERROR:201:, 202:                 refused
nothing                            truncated
`

const helpTemplates = `example: whois++://dir.example/name=lee
  name=lee

The path is the question: words and constraints ("lee:maxhits=5"), handle=HANDLE, or a command ("help", "list", "polled-by"); a void one
asks the server to describe itself.

reply                              error class
SERVER-TO-ASK and no record        - (a referral)
% 226 without a record, % 510      notfound
% 110, 204 (too many hits)         limit, behind the records
% 403, 515, 516                    refused
% 430, 530                         auth
% 4xx                              unavailable
% 5xx                              unsupported
close before % 226                 truncated
`
