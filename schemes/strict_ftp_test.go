package schemes_test

import "example.org/deref/fetch"

const ftpOpening = `
*: [connected to 192.0.2.1:21]
S: 220 ready
C: USER anonymous
C: PASS deref@
`

// strictFTP returns the conversations of ftp.
func strictFTP() []strictCase {
	return []strictCase{
		{"ftp: as the specification demands", "ftp://192.0.2.1/a.txt", ftpOpening + `C: TYPE I
C: SIZE a.txt
C: MDTM a.txt
C: EPSV
C: RETR a.txt
S: 331 password
S: 230 in
S: 200 binary
S: 213 2
S: 213 20260102030405.25
S: 229 ok (|||3000|)
*2: [connected to 192.0.2.1:3000]
S: 150 opening
S2: hi\
*2: [end]
S: 226 done
`, fetch.Options{}, nil, "", false},
		{"ftp: everything that is tolerated", "ftp://192.0.2.1/a.txt", `
*: [connected to 192.0.2.1:21]
S: 200 ready
C: USER anonymous
C: PASS deref@
C: TYPE I
C: SIZE a.txt
C: MDTM a.txt
C: EPSV
C: RETR a.txt
S: 331 password\n\
S: 230 in\n\
S: 250 binary
S: 213 2 bytes
S: 213 2026-01-02
S: 229 ok (|||3000|)
*2: [connected to 192.0.2.1:3000]
S: 150 opening
S2: hi\
*2: [end]
S: 250 done
`, fetch.Options{}, []string{
			"the greeting: 200 instead of 120 or 220 (RFC 959 section 5.4)",
			"a line of a reply: LF without CR (RFC 959 section 4.2)",
			"the reply to TYPE: 250 instead of 200 (RFC 959 section 5.4)",
			`the reply to SIZE: "2 bytes" instead of a number (RFC 3659 section 4.1)`,
			`the reply to MDTM: "2026-01-02" instead of YYYYMMDDHHMMSS (RFC 3659 section 2.3)`,
			"the reply after the transfer: 250 instead of 110 or 125 or 150 or 226 (RFC 959 section 5.2)",
		}, "", false},
		{"ftp: a listing", "ftp://192.0.2.1/", ftpOpening + `C: FEAT
S: 331 password
S: 230 in
S: 211-Features:
S:  MLST type*;
S: 211 End
C: EPSV
C: MLSD
S: 229 ok (|||3000|)
*2: [connected to 192.0.2.1:3000]
S: 226 opening
S2: type=file;size=1; a
S2: what is this
*2: [end]
`, fetch.Options{}, []string{
			"the reply to MLSD: 226 instead of 125 or 150 (RFC 3659 section 7.2)",
			"the listing of MLSD: a line without facts and name (RFC 3659 section 7.2)",
		}, "", false},
		{"ftp: what FEAT lists, and a text", "ftp://192.0.2.1/", ftpOpening + `C: FEAT
S: 331 password
S: 230 in
S: 211-Features:
S:  EPSV
S: 211 End
C: EPSV
C: LIST
S: 550 no
S: 425 no data connection
C: PASV
S: 227 ok (192,0,2,1,12,0)
*2: [connected to 192.0.2.1:3072]
C: LIST
S: 150 opening
*2: [end]
S: 226 done
`, fetch.Options{}, []string{"the reply to EPSV: 550, although FEAT lists EPSV (RFC 2389 section 3.2)"}, "", false},
		{"ftp: a text", "ftp://192.0.2.1/a.txt;type=a", ftpOpening + `C: TYPE A
C: EPSV
C: RETR a.txt
S: 331 password
S: 230 in
S: 200 text
S: 229 ok (|||3000|)
*2: [connected to 192.0.2.1:3000]
S: 150 opening
S2: one\r\r\n\
S2: two
*2: [end]
S: 226 done
`, fetch.Options{}, []string{"a line of the text: CR CR LF (RFC 959 section 3.1.1.1)"}, "", false},
		{"ftp: lines of MLSD", "ftp://192.0.2.1/", ftpOpening + `C: FEAT
S: 331 password
S: 230 in
S: 211-Features:
S:  MLST type*;
S: 211 End
C: EPSV
C: MLSD
S: 229 ok (|||3000|)
*2: [connected to 192.0.2.1:3000]
S: 150 opening
S2: type=file;size=1;modify=20260102030405; a
S2: type=file;size=1;\tb\r
S2: type=dir;modify=2026-01-02 c\n\
S2: type=file;size=many; d
*2: [end]
S: 226 done
`, fetch.Options{}, []string{
			"a line of the listing: CR CR LF (RFC 3659 section 7.2)",
			"a line of the listing: LF without CR (RFC 3659 section 7.2)",
			"the listing of MLSD: a TAB before the name (RFC 3659 section 7.2)",
			"the listing of MLSD: a size that is not a number (RFC 3659 section 7.5.7)",
			"the listing of MLSD: a time that is not YYYYMMDDHHMMSS (RFC 3659 section 2.3)",
			"the listing of MLSD: no semicolon after the last fact (RFC 3659 section 7.2)",
		}, "", false},
		{"ftp: lines of LIST", "ftp://192.0.2.1/", ftpOpening + `C: FEAT
S: 331 password
S: 230 in
S: 500 what?
C: EPSV
C: LIST
S: 229 ok (|||3000|)
*2: [connected to 192.0.2.1:3000]
S: 150 opening
S2: -rw-r--r-- 1 ftp ftp 3 Jan 02 2020 a.txt\r
S2: anything at all
*2: [end]
S: 226 Transfer done (but failed to open directory).
`, fetch.Options{}, []string{
			"a line of the listing: CR CR LF (RFC 959 section 3.1.1.1)",
			"the reply after the transfer: 226 for an incomplete listing (RFC 959 section 4.2.2)",
		}, "", false},
		{"ftp: an empty directory", "ftp://192.0.2.1/", ftpOpening + `C: FEAT
S: 331 password
S: 230 in
S: 500 what?
C: EPSV
C: LIST
S: 229 ok (|||3000|)
*2: [connected to 192.0.2.1:3000]
S: 550 No files found
`, fetch.Options{}, []string{"the reply to LIST: 550 for an empty directory (RFC 959 section 5.4)"}, "", false},
		{"ftp: too many users", "ftp://192.0.2.1/a.txt", ftpOpening + `C: TYPE I
C: SIZE a.txt
C: MDTM a.txt
C: EPSV
C: RETR a.txt
S: 530 Sorry, the maximum number of clients (2) from your host are already connected.
*: [end]
`, fetch.Options{}, []string{"the reply to USER: 530 instead of 421 for too many users (RFC 959 section 5.4)"}, "", false},
		{"ftp: after the end", "ftp://192.0.2.1/a.txt", ftpOpening + `C: TYPE I
C: SIZE a.txt
C: MDTM a.txt
C: EPSV
C: REST 5
C: RETR a.txt
S: 331 password
S: 230 in
S: 200 binary
S: 213 2
S: 550 no
S: 229 ok (|||3000|)
*2: [connected to 192.0.2.1:3000]
S: 350 rest
S: 150 opening
*2: [end]
S: 226 done
`, fetch.Options{Range: fetch.Range{From: 5}}, []string{
			"the reply to RETR: 150 instead of a refusal after a REST beyond the end of the file (RFC 3659 section 5.3)",
		}, "", false},
		{"ftp: without close_notify", "ftps://192.0.2.1/a.txt", `
*: [connected to 192.0.2.1:990]
*: [TLS]
S: 220 ready
C: USER anonymous
C: PASS deref@
C: PBSZ 0
C: PROT P
C: TYPE I
C: SIZE a.txt
C: MDTM a.txt
C: EPSV
C: RETR a.txt
S: 331 password
S: 230 in
S: 200 size
S: 200 private
S: 200 binary
S: 213 2
S: 550 no
S: 229 ok (|||3000|)
*2: [connected to 192.0.2.1:3000]
*2: [TLS]
S: 150 opening
S2: hi\
*2: [cut]
S: 226 done
`, fetch.Options{}, []string{"the end of the data connection: no close_notify (RFC 8446 section 6.1)"}, "", false},
	}
}
