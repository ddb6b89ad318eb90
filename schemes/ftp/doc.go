// Package ftp dereferences ftp, ftps and ftpes URIs (RFC 1738 §3.2.2): a CWD for each segment of the path but the last, which is
// retrieved. A directory becomes a listing, whose entries have URIs. The package implements RFC 959, 2428 (EPSV, EPRT), 3659 (SIZE,
// MDTM, REST, MLSD) and 4217 (TLS). The steps of the Plan are sent in one pipeline if the server bears it.
//
// ftp://h/a/b%20c/f.txt:
//
//	S: 220 ready
//	C: USER anonymous
//	C: PASS deref@
//	C: CWD a
//	C: CWD b c
//	C: TYPE I
//	C: SIZE f.txt
//	C: MDTM f.txt
//	C: EPSV
//	C: RETR f.txt
//	S: 331, 230, 250, 250, 200, 213 1234, 213 19941220120000, 229 (|||2345|), 150
//	   ... the file on the other connection, which we close at its end ...
//	S: 226 complete
//	C: QUIT, if the connection is not kept for later requests
//
// The first digit of a reply decides (RFC 959 §4.2), so 200 to USER is a login and 314 to EPSV is a refusal. The number counts only
// where RFC 959 §5.4 gives it a meaning of its own (331, 332, 350, 421, 425). The numbers are named as in github.com/jlaffaye/ftp.
//
// What is not a file is tried as a directory: CWD name, EPSV, MLSD; if the server does not know MLSD: EPSV, LIST.
//
// Names are bytes: a URI has those of the server, as %XX if they are not ASCII. A server whose FEAT lists UTF8 gets OPTS UTF8 ON before a
// listing, and any server before a path in UTF-8: some use another charset without it, and the others refuse it at no cost. With the setting
// ftp.charset, names in URIs are in UTF-8 and those sent are in that charset.
//
// Replies and kinds of error:
//
//	421, 4yz before the data; 530 "too many users"    unavailable
//	53z; 5yz to USER, PASS, ACCT                      auth
//	5yz to AUTH, PROT where TLS is required           tls
//	522 to RETR, MLSD, LIST                           tls
//	550, 553, 501 to CWD, RETR, MLSD, LIST            notfound; refused where the text mentions permission
//	450 to the same, with the text "no such"          notfound
//	500, 502, 504 to the same                         refused
//	4yz, 5yz after 150; more bytes than SIZE          transfer
//	fewer bytes than SIZE; neither 226 nor a size     truncated
//	5yz to REST, more bytes than SIZE after a REST    range
//	all ways to a data connection refused             connect
//	a reply that does not fit the command             protocol
package ftp
