package ftptest

import "time"

// Vsftpd returns the behavior of vsftpd 3.0.3 (observed): EPSV is offered and
// refused, there is no MLSD, a missing file lists as an empty directory, and RETR
// after a REST beyond the end sends an empty file.
func Vsftpd() *Options {
	return &Options{Greeting: "(vsFTPd 3.0.3)", NoEPSV: true, NoMLSD: true, EmptyMissing: true, EmptyBeyondEnd: true}
}

// Proftpd returns the behavior of proftpd 1.3.8 (observed): a greeting with a line
// that looks like its end, and 226 only after the client has closed.
func Proftpd() *Options {
	const linger = 10800 * time.Millisecond
	return &Options{
		Greeting: "ProFTPD Server\nwelcome\n220 trap: this is not the end\nready",
		Linger:   linger,
	}
}

// Pureftpd returns the behavior of pure-ftpd 1.0.50 (observed): no 331 for
// anonymous, doubled CRs in TYPE A, and a final reply of several lines.
func Pureftpd() *Options {
	return &Options{
		Greeting: "--------- Welcome to Pure-FTPd ----------\nYou are user number 1 of 50 allowed.\n" +
			"You will be disconnected after 15 minutes of inactivity.",
		QuickLogin: true,
		DoubleCR:   true,
		Faults: &Faults{Final: map[string]string{
			"RETR": "226-File successfully transferred\r\n226 0.000 seconds (measured here), 1.00 Mbytes per second",
		}},
	}
}
