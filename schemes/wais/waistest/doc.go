// Package waistest is a WAIS server on the loopback interface, for tests of WAIS clients and for `deref serve`. It indexes and serves
// any fs.FS:
//
//	srv := waistest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "wais://127.0.0.1:PORT", srv.URL+"/site?tide+table" searches it
//
// It does what freeWAIS-sf 2.2.10 was seen to do, octet for octet where that is defined: also that it closes the connection where that
// server crashes, of which Transcript tells. Scores are its own: those of rare words count more, and the best is 1000.
//
// Options.Databases are what can be searched: without any, all of the fs.FS under the name "site". The database INFO holds the
// descriptions of the others. A document is a file, or with Database.Lines a line; NAME.TEXT, NAME.HTML and so on are one document of
// several types. Besides freeWAIS's local ids ("0 148 docs/tides.txt") the name of a file will do.
//
// Database.Fields are header fields of messages that can be searched alone (subject=word). Faults choose how to fail.
package waistest
