// Package finger asks a host about its users: RFC 1288, with the URIs of draft-ietf-uri-url-finger-03.
//
// The client says one line, and the server answers with text and closes:
//
//	finger://h/alice          C: alice
//	finger://alice@h          S: Login: alice   Name: Alice Lab
//	                          S: Plan:
//	                          S: To build a lab.
//	finger://h/               C:                      who is there?
//	finger://h/%2FW%20alice   C: /W alice             the same at length
//	finger://h/alice@other    C: alice@other          h is to ask other: see finger.forward
//
// There are no status codes. What the answer makes of it:
//
//	nothing, or blank lines only              truncated (an empty answer cannot be told from a lost one)
//	one line that says "no such user"         notfound
//	the end within the first such line        truncated
//	anything else, up to the close            the document
//
// The text has whatever line ends and character set the server has; it comes as it is. The protocol has no parts and no metadata.
package finger

import (
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Scheme returns the scheme finger.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:    []string{"finger"},
		Rules:    uri.Rules{DefaultPort: port, Hierarchical: true},
		Does:     fetch.Does{Retrieves: true},
		Searches: true,
		Summary:  "who somebody is, or who is there",
		Spec:     "RFC 1288, draft-ietf-uri-url-finger-03",
		Settings: settings(),
		Help:     help,
		Read:     func(u uri.URI, _ uri.Mode) (any, error) { return parse(u) },
		Plan:     plan,
	}
}

const port = 79

const help = `finger://host/user, finger://user@host or, for who is there, finger://host/

no octet, or blank lines only     truncated
"no such user"                    notfound
user@other (forwarding)           denied, unless finger.forward=yes
parts (-r, -C)                    range: the protocol has none
`

func settings() []fetch.Setting {
	return []fetch.Setting{
		{Key: forward, Help: "yes: let the server ask the hosts that follow an @ in the user's name"},
		{Key: long, Help: "yes: ask for the long form (/W)"},
	}
}

const (
	forward = "finger.forward"
	long    = "finger.long"
)
