package batch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// ListOptions say how the URIs of a list are read; nil is the zero value.
type ListOptions struct {
	Mode uri.Mode // the specification that they are read by
	Base uri.URI  // what partial forms are relative to, zero: they are refused
}

// maxLine bounds a line of a list.
const maxLine = uri.MaxLen + 64<<10

// List reads a list, one item a line, while it is ranged over. Each line is one of
//
//	# a comment, as in text/uri-list (RFC 2483); void lines are none either
//	URI
//	URI KEY=VALUE KEY=VALUE
//	{"uri": "URI", "KEY": "VALUE", "set": {"SETTING": "VALUE"}}
//
// Keys and values stand between blanks; in a line that holds a TAB, between TABs, so that values may hold blanks. The keys are
//
//	name    the file that it is saved as: one plain name, cleaned, within the folder
//	range   A-B, A- or -N: octets, as in HTTP
//	search  words for a searchable object
//	x.y     a setting of a scheme (Options.Set), for example ftp.type
//
// In JSON Lines other members are passed over, so that listings made by this program (`--format json`) are lists, and so are
// its reports (`--json`); a line whose uri is null or missing is none. The error beside an item says what is wrong with its line;
// one without an item ends the list.
func List(r io.Reader, o *ListOptions) iter.Seq2[*Item, error] {
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
				if !yield(&Item{}, fetch.Errorf(fetch.ErrLimit, "line %d of the list is longer than %d octets", in.n, maxLine)) {
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
				it, err = &Item{Said: string(line[:min(len(line), maxSaid)])}, atLine(in.n, err)
			}
			if !yield(it, err) {
				return
			}
		}
	}
}

// maxSaid is how much of a line that is none is kept for whoever reports it.
const maxSaid = 4 << 10

func atLine(n int, err error) error {
	kind := fetch.KindOf(err)
	if kind == "" {
		kind = fetch.ErrRefusedURL
	}
	return fetch.Errorf(kind, "line %d of the list: %w", n, err)
}

// lines reads lines of bounded length.
type lines struct {
	in   *bufio.Reader
	long []byte
	n    int
}

var errLongLine = errors.New("a line is too long")

// next returns a line without what surrounds it; it is valid until the next call.
func (l *lines) next() ([]byte, error) {
	l.n++
	line, err := l.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		line, err = l.rest(line)
	}
	if err == io.EOF && len(line) > 0 {
		err = nil
	}
	if l.n == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return bytes.Trim(line, " \t\r\n"), err
}

func (l *lines) rest(line []byte) ([]byte, error) {
	l.long = append(l.long[:0], line...)
	for {
		more, err := l.in.ReadSlice('\n')
		if len(l.long) <= maxLine {
			l.long = append(l.long, more...)
		}
		if err != bufio.ErrBufferFull {
			if len(l.long) > maxLine && (err == nil || err == io.EOF) {
				return nil, errLongLine
			}
			return l.long, err
		}
	}
}

// item reads a line; nil and nil is none.
func (o *ListOptions) item(line []byte) (*Item, error) {
	switch {
	case len(line) == 0 || line[0] == '#':
		return nil, nil
	case line[0] == '{':
		return o.object(line)
	}
	fields := func(s string) []string {
		return strings.FieldsFunc(s, func(c rune) bool { return c == ' ' }) // no other white space: next took that off too
	}
	if bytes.IndexByte(line, '\t') >= 0 {
		fields = func(s string) []string { return strings.Split(s, "\t") }
	}
	s := string(line)
	if !strings.ContainsAny(s, " \t") {
		return o.of(s)
	}
	words := fields(s)
	it, err := o.of(strings.Trim(words[0], " ")) // only what separates fields; other white space is not part of a URI
	for _, w := range words[1:] {
		if w == "" || err != nil {
			continue
		}
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			return nil, fmt.Errorf("%q is no KEY=VALUE", w)
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
	return &Item{URI: u}, nil
}

// put sets what a key says.
func (it *Item) put(key, value string) (err error) {
	switch {
	case key == "name":
		it.Name = value
	case key == "range":
		it.Range, err = ParseRange(value)
	case key == "search":
		it.Search = strings.Fields(value)
	case strings.Contains(key, "."):
		if it.Set == nil {
			it.Set = map[string]string{}
		}
		it.Set[key] = value
	default:
		err = fmt.Errorf("there is no key %q: name, range, search and settings (with a dot) are known", key)
	}
	return err
}

// object reads a line of JSON Lines.
func (o *ListOptions) object(line []byte) (*Item, error) {
	var j struct {
		URI    *string           `json:"uri"`
		Name   string            `json:"name"`
		Range  string            `json:"range"`
		Search string            `json:"search"`
		Set    map[string]string `json:"set"`
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
	if j.Search != "" {
		it.Search = strings.Fields(j.Search)
	}
	if j.Range != "" {
		it.Range, err = ParseRange(j.Range)
	}
	return it, err
}

// ParseRange reads "A-B", "A-" and "-N", where B is the last octet, as in HTTP (RFC 9110 section 14.1.2).
func ParseRange(s string) (r fetch.Range, err error) {
	from, to, ok := strings.Cut(s, "-")
	a, errA := strconv.ParseUint(from, 10, 62)
	b, errB := strconv.ParseUint(to, 10, 62)
	switch {
	case !ok:
	case errA == nil && to == "":
		return fetch.Range{From: int64(a)}, nil
	case from == "" && errB == nil && b > 0:
		return fetch.Range{From: -int64(b)}, nil
	case errA == nil && errB == nil && a <= b:
		return fetch.Range{From: int64(a), To: int64(b) + 1}, nil
	}
	return r, fetch.Errorf(fetch.ErrRefusedURL, "%q is no range: A-B, A- or -N", s)
}

// Items makes a list of URIs that are there already.
func Items(us ...uri.URI) iter.Seq2[*Item, error] {
	return func(yield func(*Item, error) bool) {
		for _, u := range us {
			if !yield(&Item{URI: u}, nil) {
				return
			}
		}
	}
}

// Concat makes one list of several.
func Concat(lists ...iter.Seq2[*Item, error]) iter.Seq2[*Item, error] {
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
