// Package snmp reads the network-management database: snmp URIs (RFC 4088) over SNMP versions 1, 2c and 3 (RFC 1157, RFC 3416,
// RFC 3414), UDP port 161.
//
//	snmp://public@host//1.3.6.1.2.1.1.3.0           an object
//	snmp://public@host//1.3.6.1.2.1.1.3+            the next one
//	snmp://public@host//1.3.6.1.2.1.2.2.*           a subtree (a table)
//	snmp://ann@host/bridge1;80000002b8046162/...    a context and its engine
//	snmp://host//(1.3.6.1.2.1.1.3.0,1.3.6.1.2.1.1.5.0)   several
//
// QUIRK: if the path is a single segment of numbers and dots, that is an OID without a context, because many users write
// snmp://host/1.3.6.1.2.1.1.3.0. By RFC 4088 section 3 it would be a context. The part before the "@" is the community of versions 1 and
// 2c, which is a secret, or the user of version 3.
//
//	C: GETBULK non-repeaters 0 max-repetitions 10: 1.3.6.1.2.1.2.2
//	S: RESPONSE 1.3.6.1.2.1.2.2.1.1.1 = INTEGER 1 ...
//
//	noError                        the values
//	noSuchName                     notfound: also noSuchObject, noSuchInstance, a subtree without objects
//	noAccess, authorizationError   refused
//	usmStatsUnknownUserNames, ...  auth: also WrongDigests, DecryptionErrors, UnsupportedSecLevels, NotInTimeWindows
//	genErr, resourceUnavailable    unavailable
//	tooBig                         limit: a GETBULK is repeated for fewer objects first
//	a walk that does not ascend    protocol: also a response about another object
//	no response                    timeout: protocol if only other datagrams were received
//
// One object is a document: the bytes of a string, or any other value as a line. Several objects are a listing of entries with oid, name,
// type and value; one that the agent lacks has the type noSuchObject, noSuchInstance or endOfMibView. With snmp.rows, the entries are the rows
// of a table, and their attributes its cells. The names of MIB-2's system and interfaces groups and of IF-MIB are built in, also for URIs:
// snmp://host//sysName.0.
//
// In version 3 the login's password authenticates, and that of snmp.priv-password or -file encrypts. Datagrams whose port, identifier or
// digest does not match the request are ignored.
package snmp

import (
	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/uri"
)

const port = 161

// Scheme returns the scheme snmp.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:      []string{"snmp"},
		LoginFirst: true,
		Decode:     decode,
		Rules:      uri.Rules{DefaultPort: port, Hierarchical: true, SecretUser: true},
		Does:       fetch.Does{Retrieves: true},
		Summary:    "objects of the network-management database",
		Spec:       "RFC 4088, RFC 3416, RFC 3414",
		Help:       func() string { return help + string(outcomes) },
		Settings: []fetch.Setting{
			{Key: setVersion, Values: "1 2c 3", Help: "1, 2c (the default) or 3"},
			{Key: setBulk, Help: "how many objects one GETBULK requests, 10 by default"},
			{Key: setRows, Values: "no yes", Help: "yes: a subtree is a table, and each of its rows an entry"},
			{Key: setAuth, Values: "MD5 SHA SHA224 SHA256 SHA384 SHA512", Help: "SHA (the default), MD5, SHA224, SHA256, SHA384 or SHA512: authentication by the login's password (version 3)"},
			{Key: setPriv, Values: "DES AES AES192 AES256 AES192C AES256C", Help: "AES (the default), DES, AES192, AES256, AES192C or AES256C: encryption (version 3)"},
			{Key: setPrivPassword, Help: "the password for encryption (version 3)", Secret: true},
			{Key: setPrivFile, Help: "a file whose first line is that password", Secret: true},
		},
		Read: read,
		Plan: plan,
	}
}

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

`

const outcomes replies.Table = `noError                        the values
noSuchName                     notfound: also noSuchObject, noSuchInstance, a subtree without objects
noAccess, authorizationError   refused
usmStatsUnknownUserNames, ...  auth: also WrongDigests, DecryptionErrors, UnsupportedSecLevels, NotInTimeWindows
genErr, resourceUnavailable    unavailable
tooBig                         limit: a GETBULK is repeated for fewer objects first
a walk that does not ascend    protocol: also a response about another object
no response                    timeout: protocol if only other datagrams were received
`
