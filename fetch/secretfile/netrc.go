package secretfile

import (
	"context"
	"slices"
	"strings"

	"example.org/deref/fetch"
)

// A Netrc is a parsed file ~/.netrc, in which ftp, curl and wget look up logins.
//
//	machine ftp.example login alice password "two words"
//	machine news.example
//	  login bob
//	  password x
//	default login anonymous password me@here.example
//
// Words are separated by blanks and line ends. A word in double quotes may contain blanks and the escapes \" \\ \n \r \t, but no line end. A word that
// begins with # starts a comment. A macro (macdef) ends at the next empty line. Case does not matter in names of machines.
type Netrc struct {
	// Unknown has the numbers of the lines with unknown words, in places for "machine", "login" or another keyword. It does not have the words:
	// one may be a part of a password without quotes.
	Unknown []int

	entries []entry
}

type entry struct {
	machine        string // "" for the default entry
	user, password string
	broken         bool // a quote is not closed, so the values are unknown
}

// ReadNetrc reads the named file as ReadFile does, and parses it. A value that is missing at the end is empty.
func ReadNetrc(name string) (*Netrc, error) {
	b, err := ReadFile(name)
	if err != nil {
		return nil, err
	}
	return parseNetrc(string(b)), nil
}

func parseNetrc(text string) *Netrc {
	f := &Netrc{}
	r := &reader{text: text, line: 1}
	var at *entry // the current one
	for {
		word, ok := r.word()
		if !ok {
			f.Unknown = slices.Compact(f.Unknown)
			return f
		}
		switch key := strings.ToLower(word); {
		case key == "machine":
			f.entries = append(f.entries, entry{machine: r.value()})
			at = &f.entries[len(f.entries)-1]
			if at.machine == "" { // it would be the default
				f.entries, at = f.entries[:len(f.entries)-1], &entry{}
			}
		case key == "default":
			f.entries = append(f.entries, entry{})
			at = &f.entries[len(f.entries)-1]
		case key == "macdef":
			r.macro()
		case key == "login" && at != nil:
			at.user = r.value()
		case key == "password" && at != nil:
			at.password = r.value()
		case key == "account" && at != nil:
			r.value() // for ftp's ACCT, which is not supported
		default:
			f.Unknown = append(f.Unknown, r.line)
		}
		if r.open > 0 {
			f.Unknown = append(f.Unknown, r.open)
			if r.open = 0; at != nil {
				at.broken = true
			}
		}
	}
}

// Lookup returns the login for a machine: that of its first entry, or else of the default. If user is not empty, entries of other users are skipped.
// ok is false if there is no entry, or if a quote in it is not closed.
func (f *Netrc) Lookup(machine, user string) (name, password string, ok bool) {
	for _, wanted := range [...]string{machine, ""} {
		for _, e := range f.entries {
			if e.broken && strings.EqualFold(e.machine, wanted) {
				return "", "", false // and not the default
			}
			if strings.EqualFold(e.machine, wanted) && (user == "" || e.user == "" || e.user == user) && e.user+user != "" {
				if e.user == "" {
					return user, e.password, true
				}
				return e.user, e.password, true
			}
		}
	}
	return "", "", false
}

// Login returns the login for a request: see fetch.Client.Logins. If the URI names a user, it returns only a login of that user. The file has no
// second one, and none for proxies: the default entry is for servers, as in curl.
func (f *Netrc) Login(_ context.Context, r fetch.LoginRequest) (fetch.Login, error) {
	if r.Host == "" || r.Proxy || r.Attempt > 1 {
		return fetch.Login{}, nil
	}
	name, password, ok := f.Lookup(r.Host, r.User)
	return fetch.Login{User: name, Password: password, Set: ok, ByHost: ok}, nil
}

// A reader splits a text into words.
type reader struct {
	text string
	line int
	open int // the line of the last quote that is not closed; 0 for none
}

// word returns the next word. ok is false at the end.
func (r *reader) word() (w string, ok bool) {
	for r.skip(); strings.HasPrefix(r.text, "#"); r.skip() {
		r.cut(strings.IndexByte(r.text, '\n'))
	}
	switch {
	case r.text == "":
		return w, false
	case r.text[0] == '"':
		return r.quoted(), true
	}
	return r.cut(strings.IndexAny(r.text, blanks)), true
}

// value returns the next word, or "" at the end.
func (r *reader) value() string {
	w, _ := r.word()
	return w
}

const blanks = " \t\r\n"

// skip skips blanks.
func (r *reader) skip() { r.cut(len(r.text) - len(strings.TrimLeft(r.text, blanks))) }

// cut removes n bytes from the text and returns them. If n is negative, it removes all.
func (r *reader) cut(n int) string {
	if n < 0 {
		n = len(r.text)
	}
	s := r.text[:n]
	r.text, r.line = r.text[n:], r.line+strings.Count(s, "\n")
	return s
}

// quoted returns a word in quotes. If the quote is not closed on its line, it returns "": the text after it may not be a part of the word.
func (r *reader) quoted() string {
	var b strings.Builder
	for i := 1; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == '"':
			r.cut(i + 1)
			return b.String()
		case c == '\n':
			r.open = r.line
			r.cut(i)
			return ""
		case c == '\\' && i+1 < len(r.text):
			i++
			if at := strings.IndexByte("nrt", r.text[i]); at >= 0 {
				b.WriteByte("\n\r\t"[at])
				continue
			}
			b.WriteByte(r.text[i])
		default:
			b.WriteByte(c)
		}
	}
	r.open = r.line
	r.cut(-1)
	return ""
}

// macro skips the rest of the line, and the lines of the macro up to the empty line after it.
func (r *reader) macro() {
	for first := true; r.text != ""; first = false {
		if line := r.cut(strings.IndexByte(r.text, '\n') + 1); line == "" {
			r.cut(-1) // the last line, without a line end
		} else if !first && strings.TrimSpace(line) == "" {
			return
		}
	}
}
