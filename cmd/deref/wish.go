package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http/jar"
	"example.org/deref/uri"
)

// wishFlags are the flags of what is asked for.
type wishFlags struct {
	search     string
	changed    string
	as, accept []string
	cache      string
	base       string
	mode       string
	mail       []string
	set        []string
	pathAsIs   bool
}

func (f *wishFlags) add(fs *pflag.FlagSet) {
	fs.Var((*given)(&f.search), "search", "`WORDS` to search a searchable object for")
	fs.VarP((*given)(&f.changed), "time-cond", "z", "only what has changed since `DATE` or the file of that name; -DATE: what has not")
	fs.Var((*textList)(&f.as), "as", "which of several forms of one object: the media `TYPE`")
	fs.Var((*textList)(&f.accept), "accept-type", "ask for the media `TYPE`, best first")
	fs.Var((*given)(&f.cache), "cache", "http: keep answers in the folder `DIR`, and take them from there while they are fresh")
	fs.Var((*given)(&f.base), "base", "partial forms are relative to `URI`; cid: looks inside it")
	fs.Var((*given)(&f.mode), "mode", "read URIs by this specification (rfc3986, rfc1630, ...)")
	fs.BoolVar(&f.pathAsIs, "path-as-is", false, "http: keep . and .. in the paths of URIs, which are removed otherwise")
	fs.Var((*textList)(&f.mail), "mail", "for mid, cid, mailto: `SOURCE` is imap://USER@HOST, maildir:DIR, mbox:FILE, mh:DIR")
	fs.Var((*textList)(&f.set), "set", "`KEY=VALUE`: a setting of one scheme (deref help SCHEME lists them)")
}

// options makes the Options of one request, as far as they are wishes.
func (f *wishFlags) options() (*fetch.Options, error) {
	o := &fetch.Options{Set: map[string][]string{}, Accept: slices.Concat(f.as, f.accept)}
	if f.mode != "" {
		m, ok := uri.ParseMode(f.mode)
		if !ok {
			return nil, unknownMode(f.mode)
		}
		o.Mode = m
	}
	if f.base != "" {
		b, err := parseURI(o.Mode, f.base)
		if err == nil {
			b, err = here(o.Mode, b)
		}
		if err != nil {
			return nil, err
		}
		if !b.IsAbs() {
			return nil, usageError(fmt.Sprintf("--base %s: it is a partial form itself", b.Redacted(nil)))
		}
		o.Base = b
	}
	if f.changed != "" {
		var err error
		if o.IfChanged, err = since(f.changed); err != nil {
			return nil, err
		}
	}
	if f.search != "" {
		o.Search = strings.Fields(f.search)
	}
	for _, kv := range f.set {
		k, v, ok := strings.Cut(kv, "=")
		if !ok {
			return nil, usageError("--set: KEY=VALUE is wanted, and there is no \"=\"") // it may be a password
		}
		o.Set[k] = append(o.Set[k], v)
	}
	return o, nil
}

// since reads -z.
func since(s string) (fetch.Validator, error) {
	t, err := dateOf(s)
	if err != nil {
		return fetch.Validator{}, err
	}
	return fetch.Validator{Modified: t.UTC().Format(http1123)}, nil
}

// dateOf reads a date as servers and date(1) write it, or takes the time of a file.
func dateOf(s string) (time.Time, error) {
	for _, form := range []string{http1123, time.RFC3339, time.DateOnly, time.RFC1123Z, time.UnixDate, time.RFC850, time.ANSIC, "2 Jan 2006", "20060102"} {
		if t, err := time.Parse(form, s); err == nil {
			return t, nil
		}
	}
	if t, ok := jar.ParseDate(s); ok && !namesZone(s) { // what servers and users make of HTTP's formats
		return t, nil
	}
	info, err := os.Stat(s)
	if err != nil {
		return time.Time{}, usageError(fmt.Sprintf("-z %s: neither a date nor a file", s))
	}
	return info.ModTime(), nil
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

// http1123 is the date of RFC 9110 section 5.6.7.
const http1123 = "Mon, 02 Jan 2006 15:04:05 GMT"
