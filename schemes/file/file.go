// Package file dereferences file URIs (RFC 8089): documents and folders of this machine.
//
//	file:///etc/motd   file://localhost/etc/motd   file:/etc/motd
//
// On Windows a drive is the first segment (RFC 8089 Appendix E.2): file:///C:/Users/me/x.txt. A path that Windows would read in another
// way than the URI is meant is refused: //host/share, a backslash, NAME:STREAM, and the names of devices.
//
// There is no server and no dialogue; the plan's steps are what is asked of the system:
//
//	open /etc/motd
//	list /etc/motd     (if it is a folder)
//
// What its answers make of it:
//
//	no such file, a file on the way as if it were a folder   notfound
//	permission denied                                        refused
//	a FIFO, device or socket                                 local
//	the document becomes shorter while it is read            truncated
//	any other error                                          local
//
// Another host's file is refused: on it only ftp or http know the way (RFC 8089 §2 wants the local file only where the host is
// this one). So are %2F or NUL in a name, which no file has, and a query, but for one thing: to search a source file of WAIS
// (file:///x.src?words) is to search the database that it describes.
package file

import (
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Scheme returns the scheme file.
func Scheme() fetch.Scheme {
	return fetch.Scheme{
		Names:      []string{"file"},
		Rules:      uri.Rules{Hierarchical: true},
		Does:       fetch.Does{Retrieves: true, Refers: true},
		Searches:   true,
		Local:      true,
		OpensLocal: true,
		Summary:    "documents and folders of this machine",
		Spec:       "RFC 8089",
		Help: "file:///path, of this machine only; a folder gives its entries. file:///x.src?words searches the database that a\n" +
			"source file of WAIS describes.\n\n" +
			"no such file                  notfound\n" +
			"permission denied             refused\n" +
			"FIFO, device, socket          local\n" +
			"it shrinks while it is read   truncated\n",
		Read:    func(u uri.URI, _ uri.Mode) (any, error) { return read(u) },
		Handler: handler{},
	}
}

type handler struct{}

// isFolder is the condition of the step that lists.
const isFolder = "it is a folder"
