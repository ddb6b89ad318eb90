package fetch

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"maps"
	"slices"
	"time"

	"example.org/deref/uri"
)

// ListingType is the media type of a listing that has no bytes of its own.
const ListingType = "application/jsonl"

type jsonEntry struct {
	URI      uri.URI   `json:"uri,omitzero"`
	Title    Octets    `json:"title,omitempty"`
	Kind     EntryKind `json:"kind"`
	Type     string    `json:"type,omitempty"`
	Size     *int64    `json:"size,omitempty"`
	Modified string    `json:"modified,omitempty"`
	Exact    string    `json:"precision,omitempty"` // of modified: as PrecisionName returns it
	Zone     string    `json:"zone,omitempty"`      // of modified: zoneUnknown
	Attr     *jsonAttr `json:"attr,omitempty"`
}

// zoneUnknown is the zone of a time whose server does not state it.
const zoneUnknown = "unknown"

// PrecisionName returns the name of an Entry's or Document's Precision: second, minute or day. It returns "" for any other.
func PrecisionName(d time.Duration) string {
	switch d {
	case time.Second:
		return "second"
	case time.Minute:
		return "minute"
	case 24 * time.Hour:
		return "day"
	}
	return ""
}

// PrecisionOf is the inverse of PrecisionName. It returns 0 if name is not one.
func PrecisionOf(name string) time.Duration {
	for _, d := range [...]time.Duration{time.Second, time.Minute, 24 * time.Hour} {
		if name == PrecisionName(d) {
			return d
		}
	}
	return 0
}

// jsonAttr is Entry.Attr as a JSON object whose members have the order of Entry.Order.
type jsonAttr struct {
	values map[string][]string
	order  []string
}

// MarshalJSON writes the names in order first, and then the others, sorted.
func (a *jsonAttr) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	written := make(map[string]bool, len(a.values))
	for _, name := range append(slices.Clone(a.order), slices.Sorted(maps.Keys(a.values))...) {
		values := a.values[name]
		if len(values) == 0 || written[name] {
			continue
		}
		if written[name] = true; len(b) > 1 {
			b = append(b, ',')
		}
		list := make([]Octets, len(values))
		for i, v := range values {
			list[i] = Octets(v)
		}
		for i, part := range []any{name, list} {
			text, err := json.Marshal(part)
			if err != nil {
				return nil, err
			}
			if i > 0 {
				b = append(b, ':')
			}
			b = append(b, text...)
		}
	}
	return append(b, '}'), nil
}

// UnmarshalJSON takes the order from the members. It is nil for a single one.
func (a *jsonAttr) UnmarshalJSON(b []byte) error {
	var all map[string][]Octets
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	for name, values := range all {
		if a.values == nil {
			a.values = make(map[string][]string, len(all))
		}
		for _, v := range values {
			a.values[name] = append(a.values[name], string(v))
		}
	}
	in := json.NewDecoder(bytes.NewReader(b))
	in.Token() // the brace; b is known to be an object
	for in.More() {
		var skipped json.RawMessage
		name, err := in.Token()
		if err == nil {
			err = in.Decode(&skipped)
		}
		if err != nil {
			return err
		}
		if text, ok := name.(string); ok {
			a.order = append(a.order, text)
		}
	}
	if len(a.order) < 2 {
		a.order = nil
	}
	return nil
}

// Value returns the first value of an attribute, or "".
func (e Entry) Value(attr string) string {
	if v := e.Attr[attr]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// MarshalJSON writes an entry as in ListingType: unknown fields are omitted.
func (e Entry) MarshalJSON() ([]byte, error) {
	j := jsonEntry{URI: e.URI, Title: Octets(e.Title), Kind: e.Kind, Type: e.Type}
	if e.Size >= 0 {
		j.Size = &e.Size
	}
	if !e.Modified.IsZero() {
		j.Modified = e.Modified.UTC().Format(time.RFC3339)
		j.Exact = PrecisionName(e.Precision)
		if e.ZoneUnknown {
			j.Zone = zoneUnknown
		}
	}
	for _, values := range e.Attr {
		if len(values) > 0 {
			j.Attr = &jsonAttr{e.Attr, e.Order}
		}
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Entry) UnmarshalJSON(b []byte) error {
	var j jsonEntry
	err := json.Unmarshal(b, &j)
	if err != nil {
		return err
	}
	*e = Entry{URI: j.URI, Title: string(j.Title), Kind: j.Kind, Type: j.Type, Size: -1}
	if j.Size != nil {
		e.Size = *j.Size
	}
	if j.Modified != "" {
		if e.Modified, err = time.Parse(time.RFC3339, j.Modified); err != nil {
			return err
		}
	}
	e.Precision, e.ZoneUnknown = PrecisionOf(j.Exact), j.Zone == zoneUnknown
	if j.Attr != nil {
		e.Attr, e.Order = j.Attr.values, j.Attr.order
	}
	return nil
}

// ReadListing parses entries in the form of ListingType.
func ReadListing(r io.Reader) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for in := json.NewDecoder(r); ; {
			var e Entry
			err := in.Decode(&e)
			if err == io.EOF {
				return
			}
			if err != nil && KindOf(err) == "" {
				err = Errorf(ErrProtocol, "the listing: %w", err)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// NewListing returns a Document for entries that have no bytes of their own (a directory, a search). Its Body is their JSON Lines, made while
// it is read.
func NewListing(entries iter.Seq2[Entry, error]) *Document {
	l := &listing{entries: entries}
	d := NewDocument(l)
	d.Type, d.TypeReason, d.End = ListingType, "a listing", EndTerminated
	d.Entries, d.made = l.once, l
	return d
}

// listing is the Body of NewListing.
type listing struct {
	entries iter.Seq2[Entry, error]
	next    func() (Entry, error, bool)
	stop    func()
	line    bytes.Buffer
	used    bool // as entries or as bytes
	err     error
}

// once yields the entries the first time. After that it yields an error.
func (l *listing) once(yield func(Entry, error) bool) {
	if l.used {
		yield(Entry{}, errUsed)
		return
	}
	l.used = true
	l.entries(yield)
}

func (l *listing) Read(p []byte) (int, error) {
	for l.line.Len() == 0 {
		if l.err != nil {
			return 0, l.err
		}
		l.fill()
	}
	return l.line.Read(p)
}

func (l *listing) fill() {
	if l.next == nil {
		if l.used {
			l.err = errUsed
			return
		}
		l.used = true
		l.next, l.stop = iter.Pull2(l.entries)
	}
	e, err, ok := l.next()
	switch {
	case !ok:
		l.err = io.EOF
	case err != nil:
		l.err = err
	default:
		var b []byte
		b, l.err = json.Marshal(e)
		l.line.Write(b)
		l.line.WriteByte('\n')
	}
}

func (l *listing) Close() error {
	if l.stop != nil {
		l.stop()
	}
	if l.err == nil {
		l.err = io.ErrClosedPipe
	}
	return nil
}
