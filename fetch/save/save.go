// Package save writes documents into files.
//
//	result, err := save.File(ctx, client, u, nil, &save.Options{Path: "guide.txt"})
//
// What a caller can rely on:
//
//   - The final name changes only by a rename, and only when the document is whole. An error, a signal, or the end of the
//     process at any moment leaves it as it was. (Options.Sync adds: also a power cut.)
//   - A name that comes from a URI or a server is one plain name within its Folder: see Clean. It never replaces a file unless
//     Options.Force says so, and is never written through a symbolic link; a link of that name counts as a file.
//   - A transfer that breaks leaves what arrived as NAME.part, with what identifies the document's state beside it in
//     NAME.part.json. Options.Resume continues from there, and fetches the whole where the document has changed. What arrived stays until
//     the new document is whole, and for good where the answer is something else: of another type, from another host, or shorter without
//     a new validator (ErrChanged).
//   - An empty document replaces no file that is not empty, unless the server says that it is empty (ErrTransfer).
//
// A small document costs seven system calls: two look-ups, openat, write, renameat2, close, and what package os tries (epoll_ctl).
package save

import (
	"context"
	"io"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Options are the wishes of one or many saves; nil means the zero value. They are not changed, and may be used concurrently.
type Options struct {
	Folder     *Folder // where names are; nil is the current directory
	Path       string  // the user's own file name, relative to Folder or absolute; "-" is Stdout; "" takes the name from the URI
	Name       string  // where Path is void: a name that somebody else has given (a list, a menu), which is cleaned; it wins over ServerName
	URI        uri.URI // whose name it is where Path is void; zero is the Document's own. File uses the URI asked for
	ServerName bool    // where Path is void, the name in Content-Disposition wins over that of the URI
	CreateDirs bool    // make the directories of Path
	Force      bool    // a name that is not the user's own may replace a file; Path always may
	Number     bool    // a name that is not the user's own and is taken gets a number: guide-2.txt
	Equal      bool    // a name that is taken by a file of the very same octets is no failure: Result.Unchanged

	Resume bool  // continue NAME.part, or else a copy of NAME; without either, fetch the whole
	From   int64 // continue after this many octets of NAME.part or NAME, like curl's -C N; 0 is Resume's own finding

	Sync       bool      // wait until the file and its name are on the disk
	Times      bool      // the file's time is the Document's, where that is known
	Sum        bool      // Result.SHA256
	Attributes bool      // the file's extended attributes tell URI and media type (Linux)
	Stdout     io.Writer // what "-" means; nil refuses it

	// Opened is called when the Document is there and before its Body is read. It may print Header or put something around
	// Body (which should keep io.WriterTo). An error ends the save. It is called again when the whole must be fetched anew.
	Opened func(*fetch.Document) error
	// View writes something made from the Document in place of its Body. Nothing of it can be resumed.
	View func(w io.Writer, d *fetch.Document) error
}

// A Result says what became of a document. It is filled as far as things went also beside an error.
type Result struct {
	Path      string          // of the file; "" where it went to Stdout
	Size      int64           // octets of the file; of what was written where it is none
	SHA256    string          // of the file in hexadecimal, where Options.Sum is set
	Resumed   int64           // octets that were there before
	Afresh    bool            // the file that was to be continued was not the beginning of the document, which replaced it
	Unchanged bool            // the file was whole already, or the Document is NotModified: nothing was written
	Part      string          // beside an error: what holds the octets that arrived, for Resume
	Unkept    error           // which of owner, group, access list and attributes of the replaced file the new one could not get
	Untold    error           // why the file has no attributes where Options.Attributes wants them; no reason to lose the document
	Document  *fetch.Document // closed
}

// Document writes d and closes it. ctx should be the one that d was got with.
func Document(ctx context.Context, d *fetch.Document, o *Options) (Result, error) {
	s := newJob(ctx, d.URI, o)
	defer d.Body.Close()
	if err := s.aim(); err != nil {
		return s.result, err
	}
	defer s.target.close()
	return s.result, named(s.take(d), s.target.written())
}

// File dereferences u and writes what it leads to. fo may be nil.
func File(ctx context.Context, c fetch.Getter, u uri.URI, fo *fetch.Options, o *Options) (Result, error) {
	s := newJob(ctx, u, o)
	s.client, s.wish = c, fo
	if err := s.aim(); err != nil {
		return s.result, err
	}
	defer s.target.close()
	return s.result, named(s.get(), s.target.written())
}
