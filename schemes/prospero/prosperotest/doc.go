// Package prosperotest is a Prospero directory server (protocol 5 over ARDP) on the loopback interface, for tests of clients and for
// `deref serve`. It serves any fs.FS:
//
//	srv := prosperotest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "prospero://127.0.0.1:PORT"
//
// The object AFTP/a/b is the file a/b; a folder is a directory with a link for each of its members. A file is handed over by the server
// itself (PROSPERO-CONTENTS), unless Options.FTP names an FTP server over the same folder, to which it leads then. Options.Links are
// directories of links to anywhere. As dirsrv does, it gives the methods of a file for a directory, too, unless UNIX-MODES is requested
// with them, and answers NONE-FOUND to a request for the contents of a directory; it answers NOT-AUTHORIZED outside of what it publishes,
// numbers only replies of several packets, asks for an acknowledgement after each window, and answers a repeated request from what it
// remembers.
package prosperotest
