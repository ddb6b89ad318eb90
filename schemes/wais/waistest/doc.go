// Package waistest is a WAIS server on the loopback interface, for tests of WAIS clients and for `deref serve`. It indexes and serves any
// fs.FS:
//
//	srv := waistest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "wais://127.0.0.1:PORT", srv.URL+"/site?tide+table" searches it
//
// It behaves like freeWAIS-sf 2.2.10, byte for byte where that is defined. It also closes the connection where that server crashes, and
// records the crash in its Transcript. Scores are its own: rare words count more, and the best score is 1000.
//
// Options.Databases are the databases. Without any, there is one with all of the fs.FS, called "site". The database INFO holds the
// descriptions of the others. A document is a file, or with Database.Lines a line. NAME.TEXT, NAME.HTML and so on are one document of
// several types. The name of a file is accepted in place of freeWAIS's local ids ("0 148 docs/tides.txt").
//
// Database.Fields are header fields of messages that can be searched (subject=word). Faults choose how to fail.
package waistest
