package render

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/netip"
	"net/textproto"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// An Info is the JSON object that describes one result. NewInfo sets the fields that a Document has.
type Info struct {
	URI         string     `json:"uri"`
	FinalURI    string     `json:"final_uri,omitempty"`
	Scheme      string     `json:"scheme,omitempty"`
	Protocol    string     `json:"protocol,omitempty"`
	Status      int        `json:"status,omitempty"`
	Reason      string     `json:"reason,omitempty"`
	State       string     `json:"state,omitempty"` // why there is no body: "not modified"; a command has other reasons
	Type        string     `json:"type,omitempty"`
	TypeReason  string     `json:"type_reason,omitempty"`
	Charset     string     `json:"charset,omitempty"`        // of the text, unless it is ASCII; NewInfo leaves it empty
	CharsetHow  string     `json:"charset_reason,omitempty"` // how it was found
	Size        *int64     `json:"size,omitempty"`
	Offset      int64      `json:"offset,omitempty"` // of the requested range
	Modified    string     `json:"modified,omitempty"`
	Precision   string     `json:"precision,omitempty"` // of Modified: second, minute or day
	Zone        string     `json:"zone,omitempty"`      // of Modified: "unknown"
	End         fetch.End  `json:"end,omitempty"`
	Search      string     `json:"search,omitempty"` // the URI for searches
	SHA256      string     `json:"sha256,omitempty"`
	Path        string     `json:"path,omitempty"`
	Gaps        int64      `json:"gaps,omitempty"`
	Piece       int        `json:"piece,omitempty"`  // number of this piece of the object
	Pieces      int        `json:"pieces,omitempty"` // number of pieces
	Time        float64    `json:"time,omitempty"`   // seconds
	Connections int        `json:"connections,omitempty"`
	Fragment    string     `json:"fragment,omitempty"`  // the part of the document that the URI names
	Header      Header     `json:"header,omitempty"`    // the server's own fields about the document
	Referrals   []Referral `json:"referrals,omitempty"` // first those followed, then the others
	Error       *Failure   `json:"error,omitempty"`

	Deviations []fetch.Deviation `json:"deviations,omitempty"` // of strict mode

	Times  Times          `json:"times,omitzero"`
	Remote netip.AddrPort `json:"remote,omitzero"` // the server's end of the connection
	Local  netip.AddrPort `json:"local,omitzero"`
	Method string         `json:"method,omitempty"` // of an HTTP request
}

// Times is fetch.Times in seconds.
type Times struct {
	Redirect float64 `json:"redirect,omitempty"`
	Lookup   float64 `json:"lookup,omitempty"`
	Connect  float64 `json:"connect,omitempty"`
	TLS      float64 `json:"tls,omitempty"`
	Reply    float64 `json:"reply,omitempty"`
}

// A Header has the fields of the server by name.
type Header map[string][]fetch.Octets

// value returns the values of a field, joined by commas (RFC 9110 section 5.3).
func (h Header) value(name string) string {
	var all []string
	for _, v := range h[textproto.CanonicalMIMEHeaderKey(name)] {
		all = append(all, string(v))
	}
	return strings.Join(all, ", ")
}

// json returns h as JSON in one line.
func (h Header) json() string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(h); err != nil || h == nil {
		return "{}"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// A Referral is a referral of an Info.
type Referral struct {
	URI      string `json:"uri"`
	Reason   string `json:"reason"`
	Followed bool   `json:"followed"`
}

// A Failure is the error of an Info.
type Failure struct {
	Class   fetch.Kind   `json:"class"`
	Status  int          `json:"status,omitempty"`
	Message string       `json:"message"`
	Hint    string       `json:"hint,omitempty"`
	Body    fetch.Octets `json:"body,omitempty"`    // the page that came with a refusal
	Pending string       `json:"pending,omitempty"` // what a timeout waited for: "greeting", "reply to RETR"
}

// Measure adds what differs between two requests for the same document: the times, and both ends of the connection. NewInfo omits it, so that
// a view of a document is always the same.
func (i *Info) Measure(d *fetch.Document) {
	if d == nil {
		return
	}
	i.Remote, i.Local = d.Remote, d.Local
	i.Times = Times{d.Times.Redirect.Seconds(), d.Times.Lookup.Seconds(), d.Times.Connect.Seconds(), d.Times.TLS.Seconds(), d.Times.Reply.Seconds()}
}

// NewInfo describes the result of dereferencing asked: d, which may be nil, and err. It contains no password.
func NewInfo(asked uri.URI, d *fetch.Document, err error) Info {
	i := Info{URI: asked.Redacted(nil), Scheme: asked.Scheme()}
	if d != nil {
		i.FinalURI, i.Scheme = d.URI.Redacted(nil), d.URI.Scheme()
		i.Type, i.TypeReason, i.End, i.Gaps, i.Fragment = d.Type, d.TypeReason, d.End, d.Missing, d.Fragment
		i.Piece, i.Pieces = d.Piece, d.Pieces
		i.Protocol, i.Status, i.Reason = d.Protocol, d.Status, d.Reason
		if d.NotModified {
			i.State = "not modified"
		}
		if i.Offset = d.Offset; d.Size >= 0 {
			i.Size = &d.Size
		}
		for name, values := range d.Header {
			if i.Header == nil {
				i.Header = make(Header, len(d.Header))
			}
			for _, v := range values {
				i.Header[name] = append(i.Header[name], fetch.Octets(v))
			}
		}
		if !d.Modified.IsZero() {
			i.Modified, i.Precision = d.Modified.UTC().Format(time.RFC3339), fetch.PrecisionName(d.Precision)
			if d.ZoneUnknown {
				i.Zone = "unknown" // as of an Entry
			}
		}
		i.Connections = d.Connections
		if !d.Search.IsZero() {
			i.Search = d.Search.Redacted(nil)
		}
		for _, r := range d.Via {
			i.Referrals = append(i.Referrals, Referral{r.URI.Redacted(nil), r.Reason, true})
		}
		for _, r := range d.Referrals {
			i.Referrals = append(i.Referrals, Referral{r.URI.Redacted(nil), r.Reason, false})
		}
	}
	if err != nil {
		i.Error = failure(err)
		i.Status = cmp.Or(i.Status, i.Error.Status)
	}
	return i
}

func failure(err error) *Failure {
	f := &Failure{Class: fetch.KindOf(err), Message: err.Error()}
	if fe, ok := err.(*fetch.Error); ok {
		f.Hint, f.Status, f.Pending = fe.Hint, fe.Status, fe.Pending.String()
	}
	return f
}

// jsonView writes one line for each entry, or one for the document.
func jsonView(w io.Writer, d *fetch.Document) error {
	b := bufio.NewWriter(w)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if d.Entries != nil {
		return eachEntry(b, d, func(e fetch.Entry) error { return enc.Encode(e) })
	}
	info, err := summed(d)
	if err != nil {
		return err
	}
	return cmp.Or(enc.Encode(info), b.Flush())
}

// eachEntry calls write for each entry of d. What it has written to b before an error is not lost.
func eachEntry(b *bufio.Writer, d *fetch.Document, write func(fetch.Entry) error) error {
	for e, err := range d.Entries {
		if err == nil {
			err = write(e)
		}
		if err != nil {
			b.Flush()
			return err
		}
	}
	return b.Flush()
}

// summed reads the body of d and returns the Info of d with its size and digest. A response without a body has neither: the server's size is that
// of a document that it did not send.
func summed(d *fetch.Document) (Info, error) {
	info := NewInfo(d.URI, d, nil)
	sum := sha256.New()
	n, err := io.Copy(sum, d.Body)
	if err != nil || d.NotModified || n == 0 && d.Size > 0 {
		return info, err
	}
	info.Size, info.SHA256 = &n, hex.EncodeToString(sum.Sum(nil))
	return info, nil
}

// uriList writes the URIs of the entries, or that of the document, one a line (text/uri-list, RFC 2483 section 5). Lines end with LF, as in local
// text files.
func uriList(w io.Writer, d *fetch.Document) error {
	if d.Entries == nil {
		_, err := io.WriteString(w, Absolute(d.URI)+"\n")
		return err
	}
	b := bufio.NewWriter(w)
	return eachEntry(b, d, func(e fetch.Entry) (err error) {
		if !e.URI.IsZero() {
			_, err = b.WriteString(Absolute(e.URI) + "\n")
		}
		return err
	})
}

// Absolute returns u with all characters escaped that are invalid in RFC 3986, and otherwise unchanged, so that it names the same object.
func Absolute(u uri.URI) string { return uri.RFC3986.Encode(u, uri.SafeRFC3986).String() }
