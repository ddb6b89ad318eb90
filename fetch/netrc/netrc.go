// Package netrc reads the file of logins that ftp, curl and wget read: ~/.netrc.
//
//	machine ftp.example login alice password "two words"
//	machine news.example
//	  login bob
//	  password x
//	default login anonymous password me@here.example
//
// Words stand between blanks and line ends; one in double quotes may hold blanks but no line end, and \" \\ \n \r \t. A word that begins with # makes the
// rest of its line a comment. A macro (macdef) goes to the next void line. Names of machines are compared without regard to case.
package netrc

import (
	"slices"
	"strings"
)

// A File is what such a file says.
type File struct {
	// Unknown are the lines with words that say nothing, where "machine", "login" or another word of the format is wanted. Which words is
	// not told: one may be a piece of a password that lacks its quotes.
	Unknown []int

	entries []entry
}

type entry struct {
	machine        string // "" is the default
	user, password string
	broken         bool // a quote is not closed, so nobody knows what it says
}

// Parse reads the text of a file. A word that is missing at the end is a void one.
func Parse(text string) *File {
	f := &File{}
	r := &reader{text: text, line: 1}
	var at *entry // the one whose words come
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
			r.value() // ftp's ACCT, which nobody asks for
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

// Lookup finds the login for a machine: the first entry of its name, else the default. An entry with a quote that is not closed has none. Where user is not void it is that user's, or one
// that names nobody.
func (f *File) Lookup(machine, user string) (name, password string, ok bool) {
	for _, wanted := range [...]string{machine, ""} {
		for _, e := range f.entries {
			if e.broken && strings.EqualFold(e.machine, wanted) {
				return "", "", false // nor the default in its place
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

// A reader takes words from a text.
type reader struct {
	text string
	line int
	open int // the line of the last quote that is not closed, 0 for none
}

// word is the next one; ok is false at the end.
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

// value is the next word, "" at the end.
func (r *reader) value() string {
	w, _ := r.word()
	return w
}

const blanks = " \t\r\n"

// skip passes over blanks.
func (r *reader) skip() { r.cut(len(r.text) - len(strings.TrimLeft(r.text, blanks))) }

// cut takes n octets off the text, all where n is negative.
func (r *reader) cut(n int) string {
	if n < 0 {
		n = len(r.text)
	}
	s := r.text[:n]
	r.text, r.line = r.text[n:], r.line+strings.Count(s, "\n")
	return s
}

// quoted takes a word in quotes. One that is not closed on its line is void: what follows is no part of a password.
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

// macro passes over the rest of the line, and the lines of the macro to the void one behind it.
func (r *reader) macro() {
	for first := true; r.text != ""; first = false {
		if line := r.cut(strings.IndexByte(r.text, '\n') + 1); line == "" {
			r.cut(-1) // the last, which nothing ends
		} else if !first && strings.TrimSpace(line) == "" {
			return
		}
	}
}
