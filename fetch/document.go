package fetch

import (
	"io"
	"iter"
	"mime"
	"net/netip"
	"net/textproto"
	"time"

	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// A Document is the result of dereferencing a URI: an object (Body, and Entries if it is a listing), or Referrals.
//
// Its URIs, and those of its Entries, are ASCII (URI.ASCII), even if the server has sent IRIs or other bytes.
//
// Body is never nil. Its io.EOF means that the object is complete and that the protocol has confirmed it; anything shorter ends with an
// *Error. Closing it early is not an error; it drops the connection. Close ends everything that belongs to the Document, and may be called
// twice.
type Document struct {
	URI        uri.URI // the URI that was dereferenced, after referrals
	Base       uri.URI // the base of relative references: URI, or that of a directory with its slash. The BASE of a page is not considered; package htmltext finds it
	Search     uri.URI // where to search it (Options.Search), zero if unknown; htmltext.Head finds that of a page
	Fragment   string  // of the requested URI, as written; never sent; empty if the handler has returned that part (Options.Part)
	Type       string  // media type
	TypeReason string  // why: "Content-Type", "suffix .txt", "item type 0", ...
	Size       int64   // bytes of the whole object, -1 unknown
	Offset     int64   // where Body starts; 0 although a range was requested if the server has sent the whole object, or the object has changed
	// Charset is the charset that the user has chosen for the text (Plan.Charset), "" for none. The text is then in it, whatever Type and the text
	// declare. Body is never decoded.
	Charset   string
	Validator Validator
	Modified  time.Time // zero when unknown
	// Precision and ZoneUnknown are those of Modified, as in an Entry.
	Precision   time.Duration
	ZoneUnknown bool
	// NotModified is set if the object is still in the state that Options.IfChanged names. Body is then empty.
	NotModified bool
	End         End    // how the end of Body is recognized
	Status      int    // the code of the server's response, in protocols that have one (HTTP, gemini), else 0
	Reason      string // the text after Status
	Protocol    string // of the response, if the protocol has versions: "HTTP/1.1"
	Header      textproto.MIMEHeader
	Body        io.ReadCloser
	// Entries are the typed lines of a listing or menu, nil if the object is neither. They consume Body and can be ranged over once: a
	// second loop, or one after Body was read, yields an error. An error is yielded last, without an Entry; if there is none, the listing
	// is complete. A line that cannot be parsed is an Entry of Kind "unknown".
	Entries iter.Seq2[Entry, error]
	// UTF8Entries is set by a handler that decodes the text of its Entries, so that Charset applies only to what is not UTF-8.
	UTF8Entries bool
	// Refusal is the error of a request that the server refused, if the document is the page that came with it (Options.Refusals).
	Refusal *Error
	// Missing counts the parts that the object should have but its server does not, such as numbers without an article. It is final at the
	// end of Body.
	Missing int64
	// Piece is set if the document is one of several Pieces of an object (yEnc in messages); 0 means the whole, or unknown.
	Piece, Pieces int
	Referrals     []Referral
	Via           []Referral // the referrals that were followed, in order
	// Deadline is the end of Timeouts.Total; zero without one. Body then ends by itself. It is for callers that wait for something else while
	// they read, such as the reader of a pipe.
	Deadline time.Time
	// Connections is how many connections were opened for the Document, including those of referrals; 0 if pooled ones were used.
	Connections int
	// Times is when the steps of the request were finished.
	Times Times
	// Local and Remote are the ends of the connection that was opened for the request. They are zero without one, as with a connection that was
	// already open, a Unix socket or a replay. Remote is the proxy's if there is one. For datagrams only Remote is set: the peer that answered.
	Local, Remote netip.AddrPort

	parse func(io.Reader) iter.Seq2[Entry, error] // the argument of ListWith

	made *listing // of NewListing, whatever a handler has wrapped around Body; else nil

	part bool // the document is only the part that the fragment names
}

// SetModified sets Modified and Precision. It clears both if t is zero, and ZoneUnknown.
func (d *Document) SetModified(t time.Time, precision time.Duration) {
	if d.Modified, d.Precision, d.ZoneUnknown = t, precision, false; t.IsZero() {
		d.Precision = 0
	}
}

// End is how a protocol marks the end of an object.
type End string

const (
	EndDeclared   End = "declared"   // by a length, which was right
	EndTerminated End = "terminated" // by a mark in the stream, or a final reply
	EndClosed     End = "closed"     // by an orderly close, in protocols without another mark
)

// A Referral refers to another URI.
type Referral struct {
	URI    uri.URI
	Reason string // for people: "301 Moved Permanently", "urn table"
	Own    bool   // made from the user's own configuration, not received from a server: it is followed to any scheme

	// Permanent is set if the server has said that the other URI replaces this one for good (HTTP 301 and 308, gemini 31), so that links
	// should be changed to it.
	Permanent bool
}

// An Entry is one line of a listing.
type Entry struct {
	URI      uri.URI // of the object; zero for text only
	Title    string
	Kind     EntryKind
	Type     string    // media type, "" unknown
	Size     int64     // bytes, -1 unknown
	Modified time.Time // zero unknown

	// Precision is the unit to which Modified is known: 24 hours if the server states a day, a minute, or a second, also for times that are
	// more exact. It is 0 if the handler does not state it.
	Precision time.Duration
	// ZoneUnknown is set if the server states the time without a zone. Modified is then its clock's time as if it was UTC, and may be off by
	// up to 14 hours.
	ZoneUnknown bool

	Attr  map[string][]string
	Order []string // the names of Attr in the order in which the server sent them, or nil
}

// AttrColumns is the attribute that makes an Entry a row of a table: the names, in order, of the attributes that are its cells. An empty cell
// has no attribute.
const AttrColumns = "columns"

// AttrVerbatim is the attribute of a line of text whose spaces and breaks matter, as in the preformatted blocks of gemtext. Its value is the
// alternative text of the block, which may be empty.
const AttrVerbatim = "verbatim"

// AttrHeading is the attribute of a line of text that is a heading of gemtext: its level, "1" to "3".
const AttrHeading = "heading"

// EntryKind is what an Entry refers to.
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
	KindUnknown EntryKind = "unknown" // a line that could not be parsed; Title holds it
)

// ListWith makes Entries from a parser of Body's bytes. The parser reads the Body that the Client has wrapped, so limits and deadlines apply.
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

// EntriesIn parses the entries from bytes that were read from Body before. It returns nil if d is not a listing, and for a listing of
// ListingType, which ReadListing parses.
func (d *Document) EntriesIn(r io.Reader) iter.Seq2[Entry, error] {
	if d.parse == nil {
		return nil
	}
	return d.parse(r)
}

// NewDocument returns a Document with that Body, and everything else unknown.
func NewDocument(body io.ReadCloser) *Document {
	return &Document{Size: -1, Body: body, Header: textproto.MIMEHeader{}}
}

// NewBody returns a Body that reads from r and calls close when it is closed. Use it where a Document's bytes come from another reader
// than the one that has to be closed, or where closing has to do more.
func NewBody(r io.Reader, close func() error) io.ReadCloser { return &readCloser{r, close} }

type readCloser struct {
	io.Reader
	close func() error
}

func (r *readCloser) Close() error { return r.close() }

// ContentType returns the media type of d with its parameters, such as "text/html; charset=koi8-r". It differs from Type if the charset is only
// in the header.
func (d *Document) ContentType() string {
	declared := d.Header.Get("Content-Type")
	same, params, err := mime.ParseMediaType(declared)
	if err == nil && params["charset"] != "" && same == mediatype.Essence(d.Type) {
		return declared
	}
	return d.Type
}

// A Receipt is the result of sending a message.
type Receipt struct {
	Accepted []string          // recipients or groups
	Refused  map[string]string // recipient: the server's reason
	Reply    string            // the final reply
}

// A Terminal is one end of a session. Read of In must return when In is closed.
type Terminal struct {
	In      io.ReadCloser
	Out     io.Writer
	Type    string                  // as in TERM
	Size    func() (cols, rows int) // nil if unknown
	Resized <-chan struct{}         // nil if the size never changes
}
