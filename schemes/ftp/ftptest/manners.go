package ftptest

import "time"

// Vsftpd are the manners of vsftpd 3.0.3 (seen): EPSV offered and refused, no
// MLSD, what is not there lists as an empty folder, and a REST behind the end is
// followed by nothing.
func Vsftpd() *Options {
	return &Options{Greeting: "(vsFTPd 3.0.3)", NoEPSV: true, NoMLSD: true, EmptyMissing: true, NothingBehind: true}
}

// Proftpd are the manners of proftpd 1.3.8 (seen): a greeting with a line in it
// that looks like its end, and 226 only after the client has closed.
func Proftpd() *Options {
	const linger = 10800 * time.Millisecond
	return &Options{
		Greeting: "ProFTPD Server\nwelcome\n220 trap: this is not the end\nready",
		Linger:   linger,
	}
}

// Pureftpd are the manners of pure-ftpd 1.0.50 (seen): no 331 for anonymous,
// doubled CRs in TYPE A, and a final reply of several lines.
func Pureftpd() *Options {
	return &Options{
		Greeting:   "--------- Welcome to Pure-FTPd ----------\nYou are user number 1 of 50 allowed.\nYou will be disconnected after 15 minutes of inactivity.",
		QuickLogin: true,
		DoubleCR:   true,
		Faults: &Faults{Final: map[string]string{
			"RETR": "226-File successfully transferred\r\n226 0.000 seconds (measured here), 1.00 Mbytes per second",
		}},
	}
}
