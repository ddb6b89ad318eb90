// Package gophertest is a gopher server on the loopback interface, for tests of gopher clients and for `deref serve`. It serves any fs.FS:
//
//	srv := gophertest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "gopher://127.0.0.1:PORT"
//
// A directory is a menu (RFC 1436 section 3.8): the one in its file "gophermap", or else a list of its files, with item types by suffix. A
// selector is the path from the root, with or without a slash before it. Options.Search (type 7) searches for words in names and texts.
// Gopher+ is in plus.go.
//
// Options.Faults makes the server fail. Transcript returns the requests.
//
// An fs.FS contains no names outside it, so the server does not serve any. But os.DirFS follows symbolic links to any file; os.Root.FS does
// not.
package gophertest
