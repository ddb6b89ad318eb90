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
//	noSuchName, noSuchObject/Instance, a subtree without objects   notfound
//	noAccess, authorizationError        refused
//	usmStatsUnknownUserNames, WrongDigests, DecryptionErrors, UnsupportedSecLevels, NotInTimeWindows   auth
//	genErr, resourceUnavailable         unavailable
//	tooBig                              limit (a GETBULK is tried again for less)
//	a walk that does not go up, an answer for another object   protocol
//	no answer                           timeout; protocol if datagrams came that are none
//
// One object is a document: the octets of a string, else its value as a line. Several are a listing of entries with oid, name, type
// and value; with snmp.rows a table is one of its rows, whose cells are attributes, and text and HTML views show it as one. The names of MIB-2's system and interfaces groups and of IF-MIB are known, in URIs too: snmp://host//sysName.0.
//
// With version 3 the password of the login authenticates, and that of snmp.priv-password or -file encrypts. Datagrams that are no answer
// to the request by their port, identifier and digest are passed over.
package snmp

import (
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

const port = 161

// Scheme returns snmp.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:   []string{"snmp"},
		Rules:   uri.Rules{DefaultPort: port, Hierarchical: true, SecretUser: true},
		Does:    fetch.Does{Retrieves: true},
		Summary: "objects of the network-management database",
		Spec:    "RFC 4088, RFC 3416, RFC 3414",
		Help:    help,
		Settings: []fetch.Setting{
			{Key: setVersion, Values: "1 2c 3", Help: "1, 2c (the default) or 3"},
			{Key: setBulk, Help: "how many objects one GETBULK asks for, 10 if not said"},
			{Key: setRows, Values: "no yes", Help: "yes: a subtree is a table, and each of its rows an entry"},
			{Key: setAuth, Help: "SHA (the default), MD5, SHA224, SHA256, SHA384 or SHA512: how the login's password authenticates (version 3)"},
			{Key: setPriv, Help: "AES (the default), DES, AES192, AES256, AES192C or AES256C: how is encrypted (version 3)"},
			{Key: setPrivPassword, Help: "the password that encrypts (version 3)", Secret: true},
			{Key: setPrivFile, Help: "a file whose first line is that password", Secret: true},
		},
		Read:    read,
		Handler: handler{},
	}
}

type handler struct{}

const (
	setVersion = "snmp.version"
	setBulk    = "snmp.bulk"
	setRows    = "snmp.rows"

	setAuth         = "snmp.auth"
	setPriv         = "snmp.priv"
	setPrivPassword = "snmp.priv-password"
	setPrivFile     = "snmp.priv-password-file"
)

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
no answer                           timeout
`
