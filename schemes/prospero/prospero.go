// Package prospero resolves names of the Prospero directory service: RFC 4157, RFC 1738 section 3.11, the Prospero protocol
// version 5 over ARDP, UDP port 1525.
//
//	prospero://host.dom//pros/name              the object /pros/name
//	prospero://host/name;OBJECT-VERSION=2       RFC 1738: field=value
//	prospero://host/name%002%00attribute        the drafts: version and attributes after an escaped NUL
//
// Attributes are what GET-OBJECT-INFO requests in place of the access methods, and the document is their values: the URL draft of July 1993 does not
// say what its list is for. RFC 1738 has fields in its place that identify the object, and no other than these three are sent: OBJECT-VERSION, REMOTE
// and ACCESS-METHOD=PROSPERO-CONTENTS.
//
// A server usually does not hold the object but knows its access methods. A request is one message of lines:
//
//	C: VERSION 5
//	C: AUTHENTICATE '' UNAUTHENTICATED guest
//	C: GET-OBJECT-INFO ACCESS-METHOD+SIZE+UNIX-MODES ASCII AFTP/pub/papers/tides.txt 0
//	S: ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS INTERNET-D HOST ASCII 'x'
//	S: ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE AFTP INTERNET-D FTP.HOST ASCII '/pub/papers/tides.txt' BINARY
//
// The values are referrals in the server's order of preference. PROSPERO-CONTENTS means the server itself. It is requested at once if no other
// method retrieves, and otherwise after the others fail, by a referral to ...;ACCESS-METHOD=PROSPERO-CONTENTS. A directory is listed. That is
// an object whose UNIX-MODES begin with d, that has no contents (NONE-FOUND), or no method.
//
// A step's hsoname is its Data: the line quotes it, so it may contain anything but NUL. The version after it is the step's Tail.
//
//	ACCESS-METHOD               the referrals
//	NOT-FOUND, NOT-A-DIRECTORY  notfound: FAILURE, as all below
//	NOT-AUTHORIZED              refused
//	AUTHENTICATION-REQUIRED     auth
//	AUTHENTICATION-DATA         auth
//	SERVER-FAILED, TOO-MANY     unavailable
//	UNIMPLEMENTED               unsupported
//	other FAILURE, ERROR        protocol
//	no reply within 30 s        timeout
//
// Messages are sent by ARDP, a window protocol over datagrams (exchange.go). method.go converts access methods to URIs. Another Prospero server
// (FORWARDED), or another address of this one (ARDP's redirection), is a referral, too, so that the Client's policy and limit of referrals
// apply.
package prospero

import (
	"encoding/binary"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/uri"
)

const port = 1525

// Scheme returns the scheme prospero.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:      []string{"prospero"},
		Decode:     decode,
		Rules:      uri.Rules{DefaultPort: port}, // not hierarchical: no dot segments in an hsoname
		Ports:      []int{191},
		Does:       fetch.Does{Retrieves: true, Refers: true},
		MayReferTo: []string{"*"},
		Summary:    "names of the Prospero directory service",
		Spec:       "RFC 4157, RFC 1738, Prospero protocol 5, ARDP",
		Help:       func() string { return help + string(outcomes) },
		Read:       read,
		Grammar:    grammar,
		Plan:       plan,
	}
}

// randomID returns a connection ID that an attacker cannot guess. 0 is not a valid ID.
func randomID(env *fetch.Env) uint16 {
	var b [2]byte
	for b == [2]byte{} {
		env.Random(b[:])
	}
	return binary.BigEndian.Uint16(b[:])
}

const help = `example: prospero://host.example/AFTP/pub/tides.txt
  VERSION 5
  AUTHENTICATE '' UNAUTHENTICATED guest
  GET-OBJECT-INFO ACCESS-METHOD+SIZE+UNIX-MODES ASCII AFTP/pub/tides.txt 0
example: prospero://host.example/AFTP/pub/tides.txt%00%00SIZE, an attribute
  GET-OBJECT-INFO SIZE ASCII AFTP/pub/tides.txt 0

`

const outcomes replies.Table = `ACCESS-METHOD               the referrals
NOT-FOUND, NOT-A-DIRECTORY  notfound: FAILURE, as all below
NOT-AUTHORIZED              refused
AUTHENTICATION-REQUIRED     auth
AUTHENTICATION-DATA         auth
SERVER-FAILED, TOO-MANY     unavailable
UNIMPLEMENTED               unsupported
other FAILURE, ERROR        protocol
no reply within 30 s        timeout
`
