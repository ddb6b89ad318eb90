// Package newstest is a news server on the loopback interface, for tests of news clients and for `deref serve`. It serves the articles
// of any fs.FS, a folder for each group and a file for each number, and articles that are given or posted:
//
//	srv := newstest.NewServer(os.DirFS("testdata/site/news"), nil)
//	defer srv.Close()
//	// srv.URL is "nntp://127.0.0.1:PORT"
//
// It speaks RFC 3977 (CAPABILITIES to QUIT, by number and by message-id, NEXT, LAST, OVER, HDR, LIST, NEWGROUPS, NEWNEWS,
// DATE, HELP, POST, and IHAVE in transit mode), RFC 2980's XOVER and XHDR, RFC 4642 (STARTTLS, and TLS from the
// first byte), RFC 4643 (AUTHINFO USER, PASS and SASL PLAIN) and RFC 8054 (COMPRESS DEFLATE).
// Pipelined commands are answered in order.
//
// Options choose users, what is left out, and the manners of known servers; Faults choose how to fail. Transcript tells what the
// clients said.
package newstest
