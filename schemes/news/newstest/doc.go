// Package newstest is a news server on the loopback interface, for tests of news clients and for `deref serve`. It serves the articles of
// any fs.FS with a directory for each group and a file for each number, and posted articles:
//
//	srv := newstest.NewServer(os.DirFS("testdata/site/news"), nil)
//	defer srv.Close()
//	// srv.URL is "nntp://127.0.0.1:PORT"
//
// It implements RFC 3977 (CAPABILITIES to QUIT, by number and by message-id, NEXT, LAST, OVER, HDR, LIST, NEWGROUPS, NEWNEWS, DATE, HELP,
// and POST), XOVER and XHDR of RFC 2980, RFC 4642 (STARTTLS, and TLS from the first byte), and RFC 4643 (AUTHINFO
// USER, PASS and SASL PLAIN). It answers pipelined commands in order.
//
// Options choose users, missing commands, and the quirks of known servers. Faults choose failures. Transcript returns what the clients
// sent.
package newstest
