// Package save writes documents into files.
//
//	result, err := save.File(ctx, client, u, nil, &save.Options{Path: "guide.txt"})
//
// It guarantees:
//
//   - The final name changes only by a rename, and only when the document is complete. An error, a signal, or the end of the
//     process at any moment leaves the old file as it was. (With Options.Sync, so does a power cut.)
//   - A name from a URI or a server is one plain name within its Dir: see Clean. It never replaces a file unless
//     Options.Force is set, or Options.Resume is set and the document begins with that file, and is never written through a symbolic link; a
//     link of that name counts as a file.
//   - An interrupted transfer leaves the received part as NAME.part, and next to it NAME.part.json, which identifies the version of the
//     document. Options.Resume continues from there, and fetches the whole document if it has changed. The part stays until
//     the new document is complete, and for good if the response is something else: of another type, from another host, or shorter
//     without a new validator (ErrChanged).
//   - A document that does not match Options.Check never gets the final name (ErrChanged).
//   - An empty document replaces a file that is not empty only if the server declares that it is empty (ErrTransfer).
//
// Saving a small document takes seven system calls: two lookups, openat, write, renameat2, close, and the epoll_ctl of package os.
package save

import (
	"context"
	"io"

	"example.org/deref/fetch"
	"example.org/deref/fetch/checksum"
	"example.org/deref/uri"
)

// Options controls one or many saves; nil means the zero value. They are not changed, and may be used concurrently.
type Options struct {
	Dir        *Dir                                  // where names are; nil is the current directory
	Path       string                                // the user's file name, relative to Dir or absolute; "-" is Stdout; "" means the name in the URI
	Name       string                                // if Path is empty: a name from elsewhere (a list, a menu), which is cleaned; it takes precedence over ServerName
	URI        uri.URI                               // names the file if Path is empty; zero is the Document's own URI, or for File the requested one
	Charset    string                                // of names in URIs that are not UTF-8 (fetch.Client.NameCharset); "" is unknown
	NameOf     func(*fetch.Document) (string, error) // if Path is empty: returns the Name when the Document is open, after Opened
	ServerName bool                                  // if Path is empty, the name in Content-Disposition takes precedence over that in the URI
	CreateDirs bool                                  // create the directories in Path
	Force      bool                                  // a name from a URI or server may replace another file; Path always may
	Keep       bool                                  // a file that exists is the result: if its name is known, nothing is requested (Result.Unchanged)
	Equal      bool                                  // accept a taken name if the file has the same content: Result.Unchanged

	Resume bool  // continue NAME.part, or else a copy of NAME; if neither exists, fetch the whole document
	From   int64 // continue after this many bytes of NAME.part or NAME, as curl's -C N does; 0 leaves it to Resume

	Sync   bool      // wait until the file and its name are on the disk
	Times  bool      // set the file's time to the Document's, if known
	Sum    bool      // compute Result.SHA256
	Stdout io.Writer // the meaning of "-"; nil refuses it

	// Check is what the document must be; nil accepts any. It is verified while the document arrives, and an existing beginning is verified, too. A
	// mismatch is ErrChanged with a *checksum.Mismatch: the file does not get its final name. If Check states the digests of pieces, File
	// fetches the damaged ones again; if that fails, NAME.part stays, and a further File with Resume, perhaps from another server, repairs it.
	// A stream gets the bytes, and the error at their end. A View shows the document that is verified.
	Check *checksum.File
	// CheckStated requires that the document matches the digest that its server states (Header: Repr-Digest of RFC 9530, or Digest of RFC 3230,
	// by SHA-2), in place of Check. A document without one is ErrUnsupported.
	CheckStated bool

	// Opened is called when the Document is open and before its Body is read. It may print Header or wrap Body (a wrapper should keep
	// io.WriterTo). An error ends the save. It is called again if the whole document must be fetched again.
	Opened func(*fetch.Document) error
	// View writes something made from the Document in place of its Body. Such output cannot be resumed.
	View func(w io.Writer, d *fetch.Document) error
}

// A Result describes a saved document. With an error, it is filled in as far as the save got.
type Result struct {
	Path         string           // of the file; "" for Stdout
	Size         int64            // bytes in the file, or written to a stream
	SHA256       string           // of the file in hexadecimal, if Options.Sum is set
	Resumed      int64            // bytes that were there before
	Restarted    bool             // the old file was not the beginning of the document, and was replaced
	Unchanged    bool             // nothing was written: the file was complete already, Options.Keep kept it, or the Document is NotModified
	Repaired     []checksum.Range // the parts that did not match Options.Check and were fetched again
	Part         string           // with an error: the file that holds the received part, for Resume
	LostMetadata error            // which of owner, group, access list and attributes of the replaced file could not be kept
	Document     *fetch.Document  // closed
}

// Document saves d and closes it. ctx should be the context that d was fetched with.
func Document(ctx context.Context, d *fetch.Document, o *Options) (Result, error) {
	s := newJob(ctx, d.URI, o)
	defer d.Body.Close()
	defer s.target.close()
	if err := s.resolve(); err != nil {
		return s.result, err
	}
	return s.result, named(s.write(d), s.target.written)
}

// File dereferences u and saves the result. fo may be nil. If c is nil, too, File only looks for a file that Options.Keep keeps: the result is then
// Unchanged.
func File(ctx context.Context, c fetch.Getter, u uri.URI, fo *fetch.Options, o *Options) (Result, error) {
	s := newJob(ctx, u, o)
	s.client, s.fetchOptions = c, fo
	defer s.target.close()
	if err := s.resolve(); err != nil {
		return s.result, err
	}
	switch {
	case s.keeps():
		s.want = s.options.Check
		return s.result, s.unchanged()
	case c == nil:
		return s.result, nil
	}
	return s.result, named(s.run(), s.target.written)
}
