// Package prosperotest is a Prospero directory server (protocol 5 over ARDP) on the loopback interface, for tests of clients and for
// `deref serve`. It serves any fs.FS:
//
//	srv := prosperotest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "prospero://127.0.0.1:PORT"
//
// The object AFTP/a/b is the file a/b. A directory has a link for each of its members. The server sends files itself (PROSPERO-CONTENTS),
// unless Options.FTP names an FTP server for the same file system, to which it then refers. Options.Links are directories of arbitrary
// links. Like dirsrv, the server returns the methods of a file for a directory, too, unless UNIX-MODES is requested with them. It replies
// NONE-FOUND to a request for the contents of a directory, and NOT-AUTHORIZED outside of the published names. It numbers only replies of
// several packets, requests an acknowledgment after each window, and remembers requests so that it can repeat the reply to a repeated
// one.
package prosperotest
