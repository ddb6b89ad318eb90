// Package ftp dereferences ftp, ftps and ftpes URIs (RFC 1738 §3.2.2): a CWD for each segment of the path but the last, which is
// retrieved; a folder becomes a listing whose entries lead on. It speaks RFC 959, 2428 (EPSV, EPRT), 3659 (SIZE, MDTM, REST,
// MLSD) and 4217 (TLS). github.com/jlaffaye/ftp drives login, CWD, TYPE, data connections and transfers, through a control
// connection of ours that says the Plan's steps, in one flight where the server bears it, and reads the replies.
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
//	C: QUIT, when the connection is not kept any longer
//
// The first digit of a reply decides (RFC 959 §4.2), so 200 to USER is a login and 314 to EPSV is a refusal; the number counts only
// where RFC 959 §5.4 gives it a meaning of its own (331, 332, 350, 421, 425).
//
// What is no file is tried as a folder: CWD name, EPSV, MLSD; where MLSD is not known: EPSV, LIST.
//
// Replies and kinds of error:
//
//	421, 4yz before the data; 530 "too many users"    unavailable
//	53z; 5yz to USER, PASS, ACCT                      auth
//	5yz to AUTH, PROT where TLS is demanded           tls
//	522 to RETR, MLSD, LIST                           tls
//	550, 553, 501 to CWD, RETR, MLSD, LIST            notfound; refused where the text speaks of permission
//	450 to the same where the text says "no such"     notfound
//	500, 502, 504 to the same                         refused
//	4yz, 5yz after 150; more octets than SIZE         transfer
//	fewer bytes than SIZE; neither 226 nor a size     truncated
//	5yz to REST, more octets than SIZE behind a REST  range
//	all ways to a data connection refused             connect
//	a reply that is none, or not the command's        protocol
package ftp
