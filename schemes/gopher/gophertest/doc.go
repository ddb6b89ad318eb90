// Package gophertest is a gopher server on the loopback interface, for tests of
// gopher clients and for `deref serve`. It serves any fs.FS:
//
//	srv := gophertest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "gopher://127.0.0.1:PORT"
//
// A folder is a menu (RFC 1436 §3.8): the one that its file "gophermap" writes
// down, else one made from its members, with item types by suffix. A selector is
// the path from the root, with or without a slash in front. Options.Search (type
// 7) looks for words in names and texts. Gopher+ is in plus.go.
//
// Options choose the manner: RFC 1436 to the letter, or one of two real servers.
// Faults choose how to fail. Transcript tells what the clients asked.
//
// An fs.FS has no names that lead out of it, so neither has the server; note
// that os.DirFS follows symbolic links anywhere, and os.Root.FS does not.
package gophertest
