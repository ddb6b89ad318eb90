package warc

import (
	"path/filepath"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Options controls how an archive is written; nil means the default of each field.
type Options struct {
	// Size closes a file once it has grown to this many bytes, and continues in the next: NAME-00000.warc.gz, -00001 and so on, after
	// existing ones. 0 means one file of any size under the given name.
	Size int64
	// Index writes a CDXJ file next to each archive. Its name has .cdxj in place of .warc and the rest of the suffix.
	Index bool
	// Replace replaces an existing archive, unless a process is writing it.
	Replace bool
	// Resume continues the unfinished file of a dead process, after truncating it to its last complete record. A file that another process
	// is writing is never touched.
	Resume bool
	// Append continues a finished archive of that name.
	Append bool
	// Wait is how long records may wait to be written together with others. A killed process, unless it closed the Writer, loses the
	// records of this time that were not followed by a Sync. With 0, the records of each document are in the file before its Recording
	// ends.
	Wait time.Duration
	// Failed, if not nil, is called once with the first write error, so that the caller can stop: nothing after it will be in the archive.
	// It must not call the Writer.
	Failed func(error)
	// Stored, if not nil, is called for each record that an index has. The record may not be durable yet. It must not call the Writer.
	Stored func(StoredRecord)
	// TooLong, if not nil, is called for each document that is not recorded because its URI has more than 1 MiB.
	TooLong func(uri.URI)
	// OnlyAdded stores a payload again unless Known or AddOriginal has it: the records before it in the archive are not referred to.
	OnlyAdded bool
	// Info holds fields of the warcinfo record besides those of the program: operator, isPartOf, description and so on. Create returns an
	// error for one that CheckInfo does not accept.
	Info []Field
	// Software is the program's name in the warcinfo record.
	Software string

	// Log writes a log at the end of each file: what was requested, the results, and the sizes of the documents (see LogType).
	Log bool

	// Known, if not nil, are documents that are not written again.
	Known *Known

	// HideCookies blanks the values of Set-Cookie, as in an archive of what others request.
	HideCookies bool

	// HideUsers blanks the names of users in conversations, as in an archive of what others request: the name of a login, and that in the URI, which
	// the target URI still contains. Documents are not changed, and anonymous is not hidden.
	HideUsers bool

	// Date, if not nil, returns when the document of a Plan was received, if that was not now, or the zero time.
	Date func(*fetch.Plan) time.Time

	now func() time.Time // replaced by tests
}

// Unfinished is the suffix of a file's name until the file is complete. A file that a killed program leaves under such a name is an archive
// up to its last complete record.
const Unfinished = ".open"

// warcinfo returns the record that describes the file (ISO 28500:2017 section 6.2).
func (w *Writer) warcinfo() *Record {
	r := newRecord(Warcinfo, "", w.o.now())
	r.Fields.add("WARC-Filename", filepath.Base(w.final))
	r.Fields.add("Content-Type", FieldsType)
	w.info = r.ID()
	software := w.o.Software
	if software == "" {
		software = "deref"
	}
	var f Fields
	f.add("software", software)
	f.add("format", "WARC File Format 1.1")
	f.add("conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/")
	b := append(f, w.o.Info...).lines(nil)
	r.put(&spool{mem: b}, 0, int64(len(b)))
	return r
}
