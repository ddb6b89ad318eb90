// Package snmp reads the network-management database: snmp URIs (RFC 4088) over SNMP versions 1, 2c and 3 (RFC 1157, RFC 3416,
// RFC 3414), UDP port 161.
//
//	snmp://public@host//1.3.6.1.2.1.1.3.0           an object
//	snmp://public@host//1.3.6.1.2.1.1.3+            the next one
//	snmp://public@host//1.3.6.1.2.1.2.2.*           a subtree (a table)
//	snmp://ann@host/bridge1;80000002b8046162/...    a context and its engine
//	snmp://host//(1.3.6.1.2.1.1.3.0,1.3.6.1.2.1.1.5.0)   several
//
// A URI that has but one segment, and in it numbers and dots, has an OID and no context: many write snmp://host/1.3.6.1.2.1.1.3.0
// (QUIRK: by RFC 4088 section 3 that is a context). What stands before the "@" is the community of versions 1 and 2c, hence a
// secret, or the user of version 3.
//
//	C: GETBULK non-repeaters 0 max-repetitions 10: 1.3.6.1.2.1.2.2
//	S: RESPONSE 1.3.6.1.2.1.2.2.1.1.1 = INTEGER 1 ...
//
//	noError                             the values
//	noSuchName, noSuchObject/Instance   notfound
//	noAccess, authorizationError        refused
//	usmStats wrongDigests, unknownUser  auth
//	genErr, resourceUnavailable         unavailable
//	tooBig                              limit
//	a walk that does not go up          protocol
//	no answer                           timeout
//
// The protocol is planned, not yet spoken: Run returns unsupported.
package snmp

import (
	"context"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

const port = 161

// Scheme returns snmp.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:   []string{"snmp"},
		Rules:   uri.Rules{DefaultPort: port, Hierarchical: true, SecretUser: true},
		Summary: "objects of the network-management database",
		Spec:    "RFC 4088, RFC 3416, RFC 3414",
		Help:    help,
		Settings: []fetch.Setting{
			{Key: setVersion, Help: "1, 2c (the default) or 3"},
			{Key: setBulk, Help: "how many objects one GETBULK asks for, 10 if not said"},
		},
		Read:    read,
		Handler: handler{},
	}
}

type handler struct{}

const (
	setVersion = "snmp.version"
	setBulk    = "snmp.bulk"
)

// Run is issue 14's.
func (handler) Run(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
	return nil, fetch.Errorf(fetch.ErrUnsupported, "reading snmp is planned, not yet spoken")
}

const help = `example: snmp://public@host.example//1.3.6.1.2.1.2.2.*
  GETBULK 1.3.6.1.2.1.2.2 (again until an OID outside the subtree, or not greater)

error-status or report              error class
noError                             -
noSuchName, noSuchObject/Instance   notfound
noAccess, authorizationError        refused
usmStats                            auth
genErr, resourceUnavailable         unavailable
tooBig                              limit
a walk that does not go up          protocol
no answer                           timeout`
