package batch

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/fetch/checksum"
	"example.org/deref/uri"
)

// ListOptions controls how the URIs of a list are parsed; nil is the zero value.
type ListOptions struct {
	Mode uri.Mode // the specification that they are parsed by
	Base uri.URI  // resolves relative references; if it is zero, they are refused
}

// maxLine bounds a line of a list.
const maxLine = uri.MaxLen + 64<<10

// List parses a list, one item per line, while it is iterated. Each line is one of
//
//	# a comment, as in text/uri-list (RFC 2483); empty lines are ignored, too
//	URI
//	URI KEY=VALUE KEY=VALUE
//	{"uri": "URI", "KEY": "VALUE", "set": {"SETTING": "VALUE"}}
//
// Keys and values are separated by blanks, or, in a line that contains a TAB, by TABs, so that values may contain blanks. The keys are
//
//	checksum  ALGORITHM:HEX: the document must have this digest
//	name      the file that it is saved as: one plain name, cleaned, within the directory
//	range     A-B, A- or -N: bytes, as in HTTP
//	search    words for a searchable object
//	x.y       a setting of a scheme (Options.Set), for example ftp.type
//
// An IRI is converted (URI.ASCII), so that both forms are one item; bytes that are not UTF-8 are escaped. Other members of JSON Lines are ignored,
// so that this program's listings (`--format json`) and reports (`--json`) are lists; a line whose uri is null or missing is ignored. The error with an
// item explains what is wrong with its line; an error without an item ends the list.
func List(r io.Reader, o *ListOptions) Seq {
	if o == nil {
		o = &ListOptions{}
	}
	return func(yield func(*Item, error) bool) {
		in := &lines{in: bufio.NewReaderSize(r, 64<<10)}
		for {
			line, err := in.next()
			switch {
			case err == io.EOF:
				return
			case err == errLongLine:
				if !yield(&Item{}, fetch.Errorf(fetch.ErrLimit, "line %d of the list is longer than %d bytes", in.n, maxLine)) {
					return
				}
				continue
			case err != nil:
				yield(nil, fetch.Errorf(fetch.ErrLocal, "the list: %w", err))
				return
			}
			it, err := o.item(line)
			if it == nil && err == nil {
				continue
			}
			if err != nil {
				it, err = &Item{Text: string(line[:min(len(line), maxSaid)])}, atLine(in.n, err)
			}
			if !yield(it, err) {
				return
			}
		}
	}
}

// maxSaid bounds the text of an invalid line that is stored for reports.
const maxSaid = 4 << 10

func atLine(n int, err error) error {
	kind := fetch.KindOf(err)
	if kind == "" {
		kind = fetch.ErrRefusedURL
	}
	return fetch.Errorf(kind, "line %d of the list: %w", n, err)
}

// item parses one line. It returns nil, nil if the line holds no item.
func (o *ListOptions) item(line []byte) (*Item, error) {
	switch {
	case len(line) == 0 || line[0] == '#':
		return nil, nil
	case line[0] == '{':
		return o.object(line)
	}
	fields := func(s string) []string {
		return strings.FieldsFunc(s, func(c rune) bool { return c == ' ' }) // other white space was trimmed by next
	}
	if bytes.IndexByte(line, '\t') >= 0 {
		fields = func(s string) []string { return strings.Split(s, "\t") }
	}
	s := string(line)
	if !strings.ContainsAny(s, " \t") {
		return o.of(s)
	}
	words := fields(s)
	it, err := o.of(strings.Trim(words[0], " ")) // only field separators; other white space is an error
	for _, w := range words[1:] {
		if w == "" || err != nil {
			continue
		}
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not KEY=VALUE", w)
		}
		err = it.put(key, value)
	}
	return it, err
}

func (o *ListOptions) of(s string) (*Item, error) {
	u, err := o.Mode.Parse(s)
	if err != nil {
		return nil, err
	}
	if !u.IsAbs() && !o.Base.IsZero() {
		u = o.Mode.Resolve(o.Base, u)
	}
	return &Item{URI: u.ASCII()}, nil
}

// put sets the value of a key.
func (it *Item) put(key, value string) (err error) {
	switch {
	case key == "name":
		it.Name = value
	case key == "range":
		it.Range, err = fetch.ParseRange(value)
	case key == "checksum":
		if it.Check, err = checksum.Stated(value); it.Check == nil && err == nil {
			err = fmt.Errorf("checksum=%s: must be ALGORITHM:HEX", value)
		}
	case key == "search":
		it.Search = strings.Fields(value)
	case strings.Contains(key, "."):
		if it.Set == nil {
			it.Set = map[string]string{}
		}
		it.Set[key] = value
	default:
		err = fmt.Errorf("unknown key %q; known are name, checksum, range, search and settings (with a dot)", key)
	}
	return err
}

// object parses a line of JSON Lines.
func (o *ListOptions) object(line []byte) (*Item, error) {
	var j struct {
		URI                           *string
		Name, Range, Search, Checksum string
		Scheme                        string // only of a report
		Set                           map[string]string
	}
	if !utf8.Valid(line) {
		return nil, errors.New("JSON that is not UTF-8")
	}
	if err := json.Unmarshal(line, &j); err != nil {
		return nil, err
	}
	if j.URI == nil || *j.URI == "" {
		return nil, nil
	}
	it, err := o.of(*j.URI)
	if err != nil {
		return nil, err
	}
	it.Name, it.Set = j.Name, j.Set
	if j.Scheme != "" { // the search of a report is the URI for searches
		j.Search = ""
	}
	for _, member := range [...][2]string{{"search", j.Search}, {"range", j.Range}, {"checksum", j.Checksum}} {
		if key, value := member[0], member[1]; value != "" {
			err = cmp.Or(err, it.put(key, value))
		}
	}
	return it, err
}

// Items returns a list of the given URIs.
func Items(us ...uri.URI) Seq {
	return func(yield func(*Item, error) bool) {
		for _, u := range us {
			if !yield(&Item{URI: u}, nil) {
				return
			}
		}
	}
}

// Concat concatenates lists.
func Concat(lists ...Seq) Seq {
	return func(yield func(*Item, error) bool) {
		for _, l := range lists {
			for it, err := range l {
				if !yield(it, err) {
					return
				}
			}
		}
	}
}
