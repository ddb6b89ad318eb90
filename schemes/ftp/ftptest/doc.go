// Package ftptest is an FTP server on the loopback interface, for tests of FTP
// clients and for `deref serve`. It serves any fs.FS, read-only:
//
//	srv := ftptest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "ftp://127.0.0.1:PORT"
//
// It implements RFC 959 (USER to QUIT, TYPE A with real line ends, PASV and PORT,
// LIST), RFC 2428 (EPSV, EPRT), RFC 3659 (SIZE, MDTM, REST, MLSD,
// MLST), RFC 2389 (FEAT, OPTS), RFC 2640 (UTF8) and RFC 4217 (AUTH TLS, PBSZ,
// PROT, and TLS from the first byte). Pipelined commands are answered in order.
//
// Options set users, disabled commands and the behavior of known servers. Faults
// set how to fail. Transcript returns the commands of the clients.
//
// An fs.FS has no names outside of its root, so the server has none. Note that
// os.DirFS follows symbolic links anywhere, and os.Root.FS does not.
package ftptest
