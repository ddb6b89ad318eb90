package request

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/schemes/http/jar"
)

// objectFlags are the flags that select the object, or one form of it.
type objectFlags struct {
	search   string
	Changed  string
	accept   flags.List
	Cache    string
	base     string
	mode     string
	mail     flags.List
	set      flags.List
	charset  string
	pathAsIs bool
	globOff  bool
}

func (f *objectFlags) add(fs *pflag.FlagSet) {
	flags.TextVar(fs, &f.search, "search", "", "search a searchable object for `WORDS`")
	flags.TextVar(fs, &f.Changed, "time-cond", "z", "only if changed since `DATE` or the time of a file; -DATE: only if unchanged since")
	fs.Var(&f.accept, "accept-type", "select the media `TYPE` among several forms of one object; repeat it, best first")
	flags.TextVar(fs, &f.Cache, "cache", "", "http: cache responses in the directory `DIR`, and use them while they are fresh")
	flags.TextVar(fs, &f.base, "base", "", "resolve relative references against `URI`; cid: searches it")
	flags.TextVar(fs, &f.mode, "mode", "", "read URIs by this specification (rfc3986, rfc1630, ...)")
	flags.TextVar(fs, &f.charset, "charset", "", "read texts and menus as `NAME` (koi8-r, cp437, ...; deref help formats)")
	fs.BoolVar(&f.pathAsIs, "path-as-is", false, "http: keep . and .. in paths, which are removed otherwise")
	fs.BoolVarP(&f.globOff, "globoff", "g", false, "do not expand {a,b} and [1-10] in URIs")
	fs.Var(&f.mail, "mail", "for mid, cid, mailto: `SOURCE` is imap://USER@HOST, maildir:DIR, mbox:FILE, mh:DIR")
	fs.Var(&f.set, "set", "set `KEY=VALUE`, a setting of one scheme (deref help SCHEME lists them)")
}

// options returns the Options that these flags describe.
func (f *objectFlags) options() (*fetch.Options, error) {
	o := &fetch.Options{Set: map[string][]string{}, Accept: f.accept}
	if o.Charset = f.charset; f.charset != "" && !charset.IsKnown(f.charset) {
		return nil, flags.NotOneOf("--charset "+f.charset, f.charset, "unknown charset", charset.Names())
	}
	var err error
	if f.mode != "" {
		if o.Mode, err = flags.ParseMode(f.mode); err != nil {
			return nil, err
		}
	}
	if f.base != "" {
		b, err := parseURI(o.Mode, f.base)
		if err == nil {
			b, err = absoluteFile(o.Mode, b)
		}
		if err != nil {
			return nil, err
		}
		if !b.IsAbs() {
			return nil, flags.Usage(fmt.Sprintf("--base %s: must be an absolute URI", b.Redacted(nil)))
		}
		o.Base = b
	}
	if f.Changed != "" {
		t, err := ParseDate(f.Changed)
		if err != nil {
			return nil, err
		}
		o.IfChanged.Modified = t.UTC().Format(httpDate)
	}
	if f.search != "" {
		o.Search = strings.Fields(f.search)
	}
	for _, kv := range f.set {
		k, v, ok := strings.Cut(kv, "=")
		if !ok {
			return nil, flags.Usage("--set: must be KEY=VALUE, but has no \"=\"") // do not print it: it may be a password
		}
		o.Set[k] = append(o.Set[k], v)
	}
	return o, nil
}

// ParseDate parses a date as servers and date(1) write it, or returns the modification time of a file.
func ParseDate(s string) (time.Time, error) {
	for _, form := range []string{httpDate, time.RFC3339, time.DateOnly, time.RFC1123Z, time.UnixDate, time.RFC850, time.ANSIC, "2 Jan 2006", "20060102"} {
		if t, err := time.Parse(form, s); err == nil && !isInvented(t) {
			return t, nil
		}
	}
	if t, ok := jar.ParseDate(s); ok && !namesZone(s) { // variants of HTTP's formats
		return t, nil
	}
	info, err := os.Stat(s)
	if err != nil {
		return time.Time{}, flags.Usage(fmt.Sprintf("-z %s: neither a date nor a file", s))
	}
	return info.ModTime(), nil
}

// isInvented reports whether package time knows only the name of a date's zone, and takes it for GMT.
func isInvented(t time.Time) bool {
	_, offset := t.Zone()
	return offset == 0 && !slices.Contains([]string{"", "UTC", "GMT", "Local"}, t.Location().String())
}

// namesZone reports whether a date has a word that may be a zone other than HTTP's, which is GMT.
func namesZone(s string) bool {
	return slices.ContainsFunc(strings.Fields(s), func(word string) bool {
		if strings.HasPrefix(word, "+") || strings.HasPrefix(word, "-") {
			return true
		}
		word = strings.ToLower(strings.TrimRight(word, ",."))
		isWord := word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == ""
		return isWord && !strings.Contains(" gmt utc ut z ", " "+word+" ") &&
			(len(word) < 3 || !strings.Contains(" jan feb mar apr may jun jul aug sep oct nov dec mon tue wed thu fri sat sun ", " "+word[:3]+" "))
	})
}

// httpDate is the preferred date format of HTTP (RFC 9110 section 5.6.7).
const httpDate = "Mon, 02 Jan 2006 15:04:05 GMT"
