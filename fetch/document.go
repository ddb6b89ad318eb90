package fetch

import (
	"io"
	"iter"
	"net/textproto"
	"time"

	"example.org/deref/uri"
)

// A Document is what a URI leads to: an object (Body, and Entries where it is a listing), or Referrals.
//
// Body is never nil. Its io.EOF means that the object is whole and that the protocol has confirmed it; anything shorter ends
// with an *Error. Closing it early is no error and drops the connection. Close ends everything that belongs to the Document, and
// may be called twice.
type Document struct {
	URI        uri.URI // what was dereferenced in the end
	Base       uri.URI // what references inside are relative to: URI, unless the object names itself; BASE of a page is htmltext's to find
	Search     uri.URI // where words are looked for in it (Options.Search), zero where nothing says so; of a page, htmltext.Head finds it
	Fragment   string  // of the URI asked for, as written; never sent to anybody; void where the handler gave that part (Options.Part)
	Type       string  // media type
	TypeReason string  // why: "Content-Type", "suffix .txt", "item type 0", ...
	Size       int64   // octets of the whole object, -1 unknown
	Offset     int64   // where Body starts; 0 although a range was asked: the server gave the whole, or the object has changed
	Validator  Validator
	Modified   time.Time // zero when unknown
	// NotModified: the object is still in the state that Options.IfChanged names; Body is empty.
	NotModified bool
	End         End    // how the end of Body is known
	Status      int    // the code of the server's answer, in protocols that have one (HTTP, gemini); 0 elsewhere
	Reason      string // the words beside Status
	Protocol    string // what the server answered in, where a scheme has versions: "HTTP/1.1"
	Header      textproto.MIMEHeader
	Body        io.ReadCloser
	// Entries are the typed lines of a listing or menu, nil if the object has none. They consume Body and can be ranged over
	// once: a second loop, also after one that was left, and one after Body was read, yield an error. An error comes last and alone; without
	// one, the listing is complete. A line that cannot be read is an Entry of Kind "unknown".
	Entries iter.Seq2[Entry, error]
	// Missing counts what the object should have and its server has not: numbers without an article. It is final at the end of Body.
	Missing int64
	// Piece tells that the document is one piece of an object that comes in several, of how many (yEnc in messages); 0 is the whole, or
	// not known. Whole is then the piece.
	Piece, Pieces int
	Referrals     []Referral
	Via           []Referral // the referrals that were followed to get here, in order
	// Deadline is when the time that the request may take as a whole (Timeouts.Total) is over; zero without one. Body ends by itself then:
	// who waits for something else while reading it, as for the reader of a pipe, has this to end that.
	Deadline time.Time
	// Connections is how many were opened until the Document was there, those of referrals included; none where kept ones served.
	Connections int

	parse func(io.Reader) iter.Seq2[Entry, error] // of ListWith

	made *listing // of NewListing: the octets are made from the entries, whatever a handler has put around Body; nil elsewhere

	part bool // what the fragment names, and nothing else
}

// End says how a protocol marks the end of an object.
type End string

const (
	EndDeclared   End = "declared"   // its length was announced, and agreed
	EndTerminated End = "terminated" // a mark in the stream, or a final reply
	EndClosed     End = "closed"     // an orderly close, where the protocol has nothing better
)

// A Referral leads on.
type Referral struct {
	URI    uri.URI
	Reason string // for people: "301 Moved Permanently", "urn table"
	Own    bool   // made from the user's own configuration, not from a server's word: may lead to any scheme
}

// An Entry is one line of a listing.
type Entry struct {
	URI      uri.URI // leads to exactly that object; zero for text only
	Title    string
	Kind     EntryKind
	Type     string    // media type, "" unknown
	Size     int64     // octets, -1 unknown
	Modified time.Time // zero unknown
	Attr     map[string][]string
	Order    []string // the names of Attr as the server gave them, where that is worth keeping; nil where it is not
}

// AttrColumns is the attribute by which an Entry is the row of a table: the names, in order, of the attributes that are its cells. A
// cell that is not there has no attribute.
const AttrColumns = "columns"

// EntryKind is what an Entry leads to.
type EntryKind string

const (
	KindFile    EntryKind = "file"
	KindDir     EntryKind = "dir"
	KindLink    EntryKind = "link"
	KindMessage EntryKind = "message"
	KindGroup   EntryKind = "group"
	KindMenu    EntryKind = "menu"
	KindSearch  EntryKind = "search"
	KindSession EntryKind = "session"
	KindText    EntryKind = "text"
	KindEntry   EntryKind = "entry"
	KindUnknown EntryKind = "unknown" // a line that could not be read; Title holds it
)

// ListWith makes Entries from a parser of the octets of Body, as Body will be when they are ranged over: the Client's limits and
// deadlines apply to them too.
func (d *Document) ListWith(parse func(io.Reader) iter.Seq2[Entry, error]) {
	d.parse = parse
	used := false
	d.Entries = func(yield func(Entry, error) bool) {
		if used {
			yield(Entry{}, errUsed)
			return
		}
		used = true
		for e, err := range parse(d.Body) {
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// EntriesIn reads the entries from octets that Body has given: for those who keep them. It returns nil for what is no listing, and for
// a listing whose Body has the form of ListingType, which ReadListing reads.
func (d *Document) EntriesIn(r io.Reader) iter.Seq2[Entry, error] {
	if d.parse == nil {
		return nil
	}
	return d.parse(r)
}

// NewDocument returns a Document around body with everything else unknown.
func NewDocument(body io.ReadCloser) *Document {
	return &Document{Size: -1, Body: body, Header: textproto.MIMEHeader{}}
}
