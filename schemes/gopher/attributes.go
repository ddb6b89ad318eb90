package gopher

import (
	"bufio"
	"io"
	"iter"
	"net/textproto"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
)

// Attributes are the Gopher+ attributes of an item:
//
//	+INFO: 0About <TAB> /about.txt <TAB> h <TAB> 70 <TAB> +
//	+ADMIN:
//	 Admin: Keeper <keeper@h>
//	 Mod-Date: Mon Mar  1 12:00:00 1993 <19930301120000>
//	+VIEWS:
//	 text/plain En_US: <1k>
//	+ABSTRACT:
//	 What it is about.
type attributes struct {
	info   string
	blocks []block
	moved  *fetch.Document // refers to the item's new place; nil if it has not moved
}

// A block is one attribute with its lines.
type block struct {
	name  string // in upper case, as sent, without the plus sign
	lines []string
}

// maxAttributes bounds the bytes of one item's attributes.
const maxAttributes = 64 << 10

// infoMark begins the attributes of an item.
const infoMark = "+INFO:"

// attributesOf yields the attributes of one item after the other. lines has scanned the first line.
func attributesOf(lines *bufio.Scanner) iter.Seq2[attributes, error] {
	return func(yield func(attributes, error) bool) {
		a, size := attributes{}, 0
		for more := lines.Err() == nil; more; more = lines.Scan() {
			line := lines.Text()
			if strings.HasPrefix(line, infoMark) && a.info != "" {
				if !yield(a, nil) {
					return
				}
				a, size = attributes{}, 0
			}
			if size += len(line) + len("\n"); size > maxAttributes {
				yield(a, fetch.Errorf(fetch.ErrLimit, "the attributes of an item have more than %d bytes", maxAttributes))
				return
			}
			a.add(line)
		}
		if a.info != "" || lines.Err() != nil {
			yield(a, lines.Err())
		}
	}
}

// add adds a line.
func (a *attributes) add(line string) {
	switch {
	case strings.HasPrefix(line, infoMark):
		a.info = strings.TrimPrefix(line[len(infoMark):], " ")
	case strings.HasPrefix(line, "+"):
		name, rest, _ := strings.Cut(line[1:], ":")
		b := block{name: name}
		if rest = strings.TrimSpace(rest); rest != "" {
			b.lines = []string{rest}
		}
		a.blocks = append(a.blocks, b)
	case len(a.blocks) > 0 && line != "":
		b := &a.blocks[len(a.blocks)-1]
		b.lines = append(b.lines, strings.TrimPrefix(line, " "))
	}
}

// get returns the lines of a block.
func (a *attributes) get(name string) []string {
	for _, b := range a.blocks {
		if b.name == name {
			return b.lines
		}
	}
	return nil
}

// field returns a field of the ADMIN block.
func (a *attributes) field(name string) string {
	for _, l := range a.get("ADMIN") {
		if v, ok := strings.CutPrefix(l, name+":"); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// modified parses the part of Mod-Date between angle brackets, which is meant for programs. Its time zone is unknown; modified assumes UTC.
func (a *attributes) modified() time.Time {
	_, stamp, _ := strings.Cut(a.field("Mod-Date"), "<")
	t, err := time.Parse("20060102150405", strings.TrimSuffix(stamp, ">"))
	if err != nil {
		return time.Time{}
	}
	return t
}

// intoHeader adds the attributes to the header of a document.
func (a *attributes) intoHeader(d *fetch.Document) {
	d.SetModified(a.modified(), time.Second)
	d.ZoneUnknown = !d.Modified.IsZero()
	for _, b := range a.blocks {
		if b.name == "ADMIN" {
			continue
		}
		for _, l := range b.lines {
			addHeader(d.Header, b.name, l)
		}
	}
	addHeader(d.Header, "Admin", a.field("Admin"))
	addHeader(d.Header, "Mod-Date", a.field("Mod-Date"))
}

// addHeader adds a field if it has a valid name and a value.
func addHeader(h textproto.MIMEHeader, name, value string) {
	if value != "" && name != "" && strings.IndexFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == ':' }) < 0 {
		h.Add(name, value)
	}
}

// intoEntry adds the attributes to an entry.
func (a *attributes) intoEntry(e *fetch.Entry) {
	if e.Modified = a.modified(); !e.Modified.IsZero() {
		e.Precision, e.ZoneUnknown = time.Second, true
	}
	for _, b := range a.blocks {
		if e.Attr == nil {
			e.Attr = map[string][]string{}
		}
		e.Attr[strings.ToLower(b.name)] = b.lines
	}
}

// readAttributes reads the attributes of one item.
func readAttributes(r io.Reader, mostLine int) (attributes, error) {
	lines := lineproto.NewScanner(io.LimitReader(r, 3*maxAttributes), mostLine) // more than attributesOf accepts
	lines.Scan()
	for a, err := range attributesOf(lines) {
		return a, fetch.LineError(err, mostLine)
	}
	return attributes{}, fetch.Errorf(fetch.ErrProtocol, "the Gopher+ response has no attributes")
}
