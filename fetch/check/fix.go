package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/diff"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// A Fixer collects the links of a Run that should be changed in the local files that contain them: those with a permanent redirect to a document, and
// those of http whose https URI has a document, too. It never changes a link to one of lower security, and none that contains a user.
//
//	f := check.NewFixer(client, options)
//	check.Run(ctx, client, sources, options)
//	err := f.Upgrade(ctx)
//	for e, err := range f.Edits(ctx) { os.Stdout.Write(e.Diff(e.Path)) }
type Fixer struct {
	client  fetch.Getter
	options *Options
	mu      sync.Mutex // guards files: the pages of a crawl are read at the same time
	files   []uri.URI
	fixes   map[string]string // link to its replacement
	http    []uri.URI         // links of http that work
}

// maxFixes bounds the links that are changed.
const maxFixes = 100_000

// NewFixer returns a Fixer for the next Run with the options o, whose Links and Done it wraps.
func NewFixer(c fetch.Getter, o *Options) *Fixer {
	given := *o
	f := &Fixer{client: c, options: &given, fixes: map[string]string{}}
	read, done := o.Links, o.Done
	if read == nil {
		read = Links
	}
	o.Links = func(d *fetch.Document) Seq {
		if d.URI.Scheme() == "file" && d.Entries == nil {
			f.mu.Lock()
			f.files = append(f.files, d.URI)
			f.mu.Unlock()
		}
		return read(d)
	}
	o.Done = func(r *Result) {
		f.add(r)
		if done != nil {
			done(r)
		}
	}
	return f
}

// add collects the result of a link.
func (f *Fixer) add(r *Result) {
	if r.Err != nil || r.Verdict != OK && r.Verdict != Redirected || len(f.fixes)+len(f.http) >= maxFixes || hasUser(r.URI) || hasUser(r.Final) {
		return
	}
	switch from := r.URI.Scheme(); {
	case r.Verdict == Redirected && r.Permanent && (from == r.Final.Scheme() || from == "http" && r.Final.Scheme() == "https"):
		f.fixes[r.URI.String()] = withFragmentOf(r.Final, r.URI).String()
	case from == "http" && (r.URI.Port() == "" || r.URI.Port() == "80"):
		f.http = append(f.http, r.URI)
	}
}

func hasUser(u uri.URI) bool { return u.String() != u.WithoutUserinfo().String() }

// withFragmentOf returns u with the fragment of link if it has none: a redirect keeps it (RFC 9110 section 10.2.2).
func withFragmentOf(u, link uri.URI) uri.URI {
	part, ok := link.Fragment()
	if _, has := u.Fragment(); has || !ok {
		return u
	}
	if with, err := uri.Parse(u.String() + "#" + string(part)); err == nil {
		return with
	}
	return u
}

// Upgrade tests which http links that work can be https links: those whose https URI has a document without a redirect. Requests are as polite as
// those of the Run.
func (f *Fixer) Upgrade(ctx context.Context) error {
	if len(f.http) == 0 {
		return nil
	}
	from := map[string]string{}
	var list []uri.URI
	for _, u := range f.http {
		if s, err := u.Edit().Scheme("https").NoPort().URI(); err == nil {
			from[s.String()] = u.String()
			list = append(list, s)
		}
	}
	request := f.options.Schemes.ReferralOptions(f.options.Request, uri.URI{}, uri.URI{}) // without credentials
	request.NoFollow = true
	b := f.options.Batch
	b.IsOutage, b.Outage, b.Journal = isOutage, outage, nil // the Journal is that of the links of the Run
	b.Done = func(it *batch.Item, _ int64, err error) {
		if r, ok := it.Keep.(*Result); ok && r.Verdict == OK && err == nil {
			f.fixes[from[it.URI.String()]] = it.URI.String()
		}
	}
	_, err := batch.Run(ctx, batch.Items(list...), func(ctx context.Context, it *batch.Item) (int64, error) {
		r := One(ctx, f.client, it.URI, request)
		it.Keep = r
		return 0, r.Err
	}, &b)
	return err
}

// An Edit is the change of one file.
type Edit struct {
	Path     string
	Old, New []byte
	Fixed    int // links that are changed
	Left     int // links that should be, but whose form in the file is not that of the URI
}

// Edits yields the changes of the files that the Run has read, in their order; those of a crawl are sorted. An error belongs to one file.
func (f *Fixer) Edits(ctx context.Context) iter.Seq2[*Edit, error] {
	return func(yield func(*Edit, error) bool) {
		if f.options.Crawl != nil {
			slices.SortFunc(f.files, func(a, b uri.URI) int { return strings.Compare(a.String(), b.String()) })
		}
		for _, u := range slices.CompactFunc(f.files, func(a, b uri.URI) bool { return a.String() == b.String() }) {
			e, err := f.edit(ctx, u)
			if err == nil && e.Fixed+e.Left == 0 {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func (f *Fixer) edit(ctx context.Context, u uri.URI) (*Edit, error) {
	e := &Edit{Path: pathOf(u)}
	d, err := f.client.Get(ctx, u, nil)
	if err != nil {
		return e, err
	}
	defer d.Body.Close()
	if e.Old, err = io.ReadAll(d.Body); err != nil {
		return e, err
	}
	before, err := f.linksOf(d, e.Old)
	if err != nil {
		return e, err
	}
	e.New = e.Old
	done := map[string]bool{} // a line may contain a link twice, and the replacement may contain the link
	for _, l := range before {
		to, key := f.fixes[l.URI.String()], fmt.Sprint(l.Line, l.URI)
		if to != "" && l.Err == nil && !done[key] {
			e.New, done[key] = replaceLink(e.New, l.Line, l.URI.String(), to, formatOfDocument(d).Markup), true
		}
	}
	after, err := f.linksOf(d, e.New)
	if err != nil || len(after) != len(before) {
		return e, cannotFix(e.Path)
	}
	for i, l := range before {
		switch to := f.fixes[l.URI.String()]; {
		case l.Err != nil:
		case after[i].URI.String() == l.URI.String():
			if to != "" {
				e.Left++
			}
		case after[i].URI.String() == to:
			e.Fixed++
		default:
			return e, cannotFix(e.Path)
		}
	}
	return e, nil
}

// cannotFix returns the error for a file whose other links would change, too.
func cannotFix(path string) error {
	return fetch.Errorf(fetch.ErrUnsupported, "%s: cannot change its links without changing others", path)
}

// linksOf returns the links of a text in place of d's own.
func (f *Fixer) linksOf(d *fetch.Document, text []byte) (list []Link, err error) {
	given := *d
	given.Body = io.NopCloser(bytes.NewReader(text))
	for l, err := range Links(&given) {
		if _, unread := errors.AsType[ErrUnread](err); unread {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}

// replaceLink replaces a link in one line, or in all lines if the line is not known. It changes only attributes in an HTML page.
func replaceLink(text []byte, line int, from, to string, attributes bool) []byte {
	begin, end := 0, len(text)
	for n := 1; n < line; n++ {
		i := bytes.IndexByte(text[begin:], '\n')
		if i < 0 {
			return text
		}
		begin += i + 1
	}
	if i := bytes.IndexByte(text[begin:], '\n'); line > 0 && i >= 0 {
		end = begin + i
	}
	changed := replaceAll(text[begin:end], from, to, attributes)
	if esc := escaped(from); esc != from {
		changed = replaceAll(changed, esc, escaped(to), attributes)
	}
	return slices.Concat(text[:begin], changed, text[end:])
}

// escaped returns a URI as attributes contain it (HTML section 13.1.2.3).
func escaped(u string) string { return strings.ReplaceAll(u, "&", "&amp;") }

// replaceAll replaces a URI where it is not part of a longer one. In an attribute, a quote or an equals sign precedes it.
func replaceAll(text []byte, from, to string, attributes bool) []byte {
	var out []byte
	for {
		i := bytes.Index(text, []byte(from))
		if i < 0 {
			return append(out, text...)
		}
		rest := text[i+len(from):]
		out = append(out, text[:i]...)
		if endsURI(rest) && (i == 0 || beginsURI(text[i-1], attributes)) {
			out = append(out, to...)
		} else {
			out = append(out, from...)
		}
		text = rest
	}
}

func beginsURI(before byte, attributes bool) bool {
	if attributes {
		return before == '"' || before == '\'' || before == '='
	}
	return !isWord(before) && strings.IndexByte("+.-/%`", before) < 0 // nor in a code span
}

// endsURI reports whether no URI continues with rest: only punctuation and brackets follow before a character that cannot be in a URI.
func endsURI(rest []byte) bool {
	for _, c := range rest {
		switch {
		case c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0:
			return true
		case strings.IndexByte(".,;:!?)]'*_", c) < 0:
			return c == '[' || c == '('
		}
	}
	return true
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// pathOf returns the path of a file URI.
func pathOf(u uri.URI) string {
	path := u.Path().Decode()
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path)
}

// Diff returns the change in unified format, for a file that the user knows as name. "patch -p0" and "git apply -p0" apply it.
func (e *Edit) Diff(name string) []byte {
	name = inHeader(name)
	_, b, _ := bytes.Cut(diff.Diff(name, e.Old, name, e.New), []byte("\n")) // without the line "diff"
	return b
}

// inHeader returns a name as the header of a patch has it: as a string of C if it contains characters that would end it or the line, and with a tab
// after it if it contains blanks, which a date may follow.
func inHeader(name string) string {
	var quoted strings.Builder
	for i := range len(name) {
		if c := name[i]; c < ' ' || c == 0x7f || c == '"' || c == '\\' {
			fmt.Fprintf(&quoted, "\\%03o", c)
		} else {
			quoted.WriteByte(c)
		}
	}
	switch {
	case quoted.String() != name:
		return `"` + quoted.String() + `"`
	case strings.Contains(name, " "):
		return name + "\t"
	}
	return name
}

// Write replaces the file: at any moment it has either the old contents or the new, and it keeps its owner and mode. lost names attributes that could
// not be kept. It returns ErrChanged, and changes nothing, if the file is no longer the one that was read.
func (e *Edit) Write() (lost, err error) {
	now, err := os.ReadFile(e.Path)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	if !bytes.Equal(now, e.Old) {
		return nil, &fetch.Error{Kind: fetch.ErrChanged, Text: fmt.Sprintf("%s has changed meanwhile", e.Path)}
	}
	return save.Rewrite(e.Path, 0o666, func(w io.Writer) error {
		_, err := w.Write(e.New)
		return err
	})
}
