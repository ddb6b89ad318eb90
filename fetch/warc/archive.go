package warc

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// An Archive answers for the URIs that were captured. It is safe for concurrent use.
type Archive struct {
	files []string
	list  fetch.Registry
	at    map[string][]place // by key
	pair  pairing
	bad   []Fault
	last  *place // of the record that was read last, nil if it has none
}

// A place is a record that says something of a URI.
type place struct {
	file           int32
	kind           byte // of record
	short          bool // truncated
	head           bool // an answer to HEAD
	damaged        bool // it cannot be read
	plain          bool // the request asked for no content coding
	status         int32
	offset, within int64
	date           int64  // in microseconds
	digest         string // of the payload
	asked          string // what of the object
}

// Kinds of places.
const (
	isResponse = 'r'
	isResource = 'o'
	isRevisit  = 'v'
	isTalk     = 't' // a conversation
	isListing  = 'l' // entries of a listing
)

// maxPlaces bounds the records that an Archive knows.
const maxPlaces = 20_000_000

// OpenArchive reads the files once from beginning to end and notes what they hold. list is the schemes whose rules say which URIs are
// the same. A file that ends within a record is taken up to there, and damage affects the record alone that has it: see Damage.
func OpenArchive(list []fetch.Scheme, names ...string) (*Archive, error) {
	a := &Archive{list: list, at: map[string][]place{}}
	for _, name := range names {
		if err := a.add(name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return a, nil
}

// Damage returns what could not be read of the files. ID is the name of the file.
func (a *Archive) Damage() []Fault { return a.bad }

// maxDamage bounds what Damage returns.
const maxDamage = 1000

func (a *Archive) add(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	defer f.Close()
	a.files = append(a.files, name)
	r := NewReader(f)
	defer r.Close()
	first := error(io.ErrUnexpectedEOF) // if there is no record
	for n := 0; ; n++ {
		rec, err := r.Next()
		ferr, damaged := errors.AsType[*FormatError](err)
		switch {
		case damaged:
			if a.last != nil && a.last.offset == ferr.Offset {
				a.last.damaged = true
			}
			if len(a.bad) < maxDamage {
				a.bad = append(a.bad, Fault{ferr.Offset, name, ferr.Text})
			}
			if n == 0 {
				first = ferr
			}
			n--
			continue
		case err == io.ErrUnexpectedEOF && n > 0:
			if a.last != nil {
				a.last.short = true
			}
			return nil
		case err == io.EOF && (n > 0 || len(a.bad) == 0):
			return nil
		case err == io.EOF, err == io.ErrUnexpectedEOF:
			return fetch.Errorf(fetch.ErrProtocol, "%w", first)
		}
		if err == nil {
			a.last = nil
			err = a.note(rec)
		}
		if err != nil && !isFormat(err) { // what is damaged Next says again
			return fetch.Errorf(fetch.ErrProtocol, "%w", err)
		}
	}
}

// note remembers where a record is that says something of a URI.
func (a *Archive) note(r *Record) error {
	p := place{file: int32(len(a.files) - 1), offset: r.Offset, within: r.Within, date: r.Date().UnixMicro(), short: r.isPart()}
	switch r.Type() {
	case Request:
		return a.ask(r)
	case Response:
		p.kind = isResponse
		if a.pair.request != "" && r.isWith(a.pair.request) {
			p.head, p.plain = a.pair.head, a.pair.plain
		}
	case Resource:
		p.kind = isResource
	case Revisit:
		p.kind = isRevisit
	case Metadata:
		p.kind = isTalk
		if r.MediaType() != DialogueType {
			return nil
		}
		p.asked = readOutcome(r.Block).Asked
	case Conversion:
		p.kind = isListing
		if r.MediaType() != fetch.ListingType {
			return nil
		}
	default:
		return nil
	}
	p.status = int32(r.Status())
	if p.digest = r.Fields.Get("WARC-Payload-Digest"); p.digest == "" && p.kind == isResource {
		p.digest = r.Fields.Get("WARC-Block-Digest")
	}
	k := a.key(r.Target())
	if len(a.at) >= maxPlaces {
		return fetch.Errorf(fetch.ErrLimit, "more than %d URIs", maxPlaces)
	}
	if p.asked != "" { // the others of the capture stand before its conversation
		for i := len(a.at[k]) - 1; i >= 0 && a.at[k][i].date == p.date && a.at[k][i].file == p.file; i-- {
			a.at[k][i].asked = p.asked
		}
	}
	a.at[k] = append(a.at[k], p)
	a.last = &a.at[k][len(a.at[k])-1]
	if p.kind == isResponse {
		a.pair.response, a.pair.key, a.pair.index = r.ID(), k, len(a.at[k])-1
	}
	return nil
}

// isPart reports whether the record has only a part of what was captured: the rest was not stored, or is in records of another archive.
func (r *Record) isPart() bool {
	return r.Fields.Get("WARC-Truncated") != "" || r.Fields.Get("WARC-Segment-Number") != ""
}

// key is what equal URIs have in common.
func (a *Archive) key(target string) string {
	u, err := uri.Parse(target)
	if err != nil {
		return target
	}
	var rules *uri.Rules
	if s, ok := a.list.Lookup(u.Scheme()); ok {
		rules = &s.Rules
	}
	return uri.RFC3986.Normalize(u.WithoutFragment().WithoutPassword(), rules).String()
}

// best returns the records that may answer for what is asked of a URI, the best first: whole before truncated or in part, success before
// refusal, later before earlier. Others than the first are as good, but earlier: they answer if it is damaged.
func (a *Archive) best(u uri.URI, asked string) (best []place) {
	rank := func(p place) int {
		switch {
		case p.kind == isTalk:
			return 0
		case p.kind == isListing:
			return -1
		case p.head, p.status == 304, p.status >= 400, p.status > 0 && p.status < 200:
			return 1
		case p.short, p.status == 206:
			return 2
		}
		return 3
	}
	top := -1
	for _, p := range a.at[a.key(target(u))] {
		r := rank(p)
		if p.asked != asked || r < max(top, 0) {
			continue
		}
		if r > top {
			top, best = r, best[:0]
		}
		best = append(best, p)
	}
	slices.SortStableFunc(best, func(p, q place) int { return cmp.Compare(p.date, q.date) })
	slices.Reverse(best) // the later in the file first, where the times are equal
	return best
}

// beside finds the record of another kind that was taken down together with p.
func (a *Archive) beside(u uri.URI, p place, kind byte) (place, bool) {
	for _, q := range a.at[a.key(target(u))] {
		if q.kind == kind && q.date == p.date && q.file == p.file {
			return q, true
		}
	}
	return place{}, false
}

// original finds the record that a revisit refers to: by URI and date, else another of that URI with the same payload, or, where the server
// reported that nothing had changed, the latest before it.
func (a *Archive) original(r *Record, p place) (same place, ok bool) {
	at := dateOf(r.Fields.Get("WARC-Refers-To-Date"))
	to := r.Fields.Get("WARC-Refers-To-Target-URI")
	if to == "" {
		to = r.Target()
	}
	for _, q := range a.at[a.key(unbracket(to))] {
		isOther := q.digest != "" && p.digest != "" && !strings.EqualFold(q.digest, p.digest)
		if q.kind != isResponse && q.kind != isResource || isOther || q.status == 304 {
			continue
		}
		if !at.IsZero() && q.date == at.UnixMicro() || at.IsZero() && p.digest != "" && q.digest != "" {
			return q, true
		}
		isSame, isBefore := q.digest != "" && p.digest != "", q.date <= p.date && (!ok || q.date >= same.date)
		if isSame || p.digest == "" && isBefore {
			same, ok = q, true
		}
	}
	return same, ok
}

// An opened record holds its file, and that of the record that it refers to.
type opened struct {
	*Record
	files []*os.File
}

func (o *opened) Close() {
	for _, f := range o.files {
		f.Close()
	}
}

// verify reads the record at p to its end and compares its digests. One that the end of the archive cuts is as good as it is.
func (a *Archive) verify(p place) error {
	if p.damaged {
		return fetch.Errorf(fetch.ErrProtocol, "%s: the record at octet %d is damaged", a.files[p.file], p.offset)
	}
	r, err := a.open(p)
	if err != nil {
		return err
	}
	defer r.Close()
	faults, err := digests(r.Record)
	switch {
	case len(faults) > 0:
		return fetch.Errorf(fetch.ErrProtocol, "%s: the record at octet %d: %s", a.files[p.file], p.offset, faults[0])
	case err != nil && err != io.ErrUnexpectedEOF:
		return fetch.Errorf(fetch.ErrProtocol, "%s: %w", a.files[p.file], err)
	}
	return nil
}

// open opens the record at p.
func (a *Archive) open(p place) (*opened, error) {
	f, err := os.Open(a.files[p.file])
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	r, err := readAt(f, p.offset, p.within)
	if err != nil {
		f.Close()
		return nil, fetch.Errorf(fetch.ErrProtocol, "%s: %w", a.files[p.file], err)
	}
	return &opened{r, []*os.File{f}}, nil
}
