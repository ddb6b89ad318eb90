package main

import (
	"net/textproto"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/schemes"
)

// A spelling is a flag that puts a scheme's setting: what --set can say too, in the words that people know.
type spelling struct {
	long, short, help string
	fixed             string // the value, for flags without one
	put               func(set map[string][]string, value string)
}

// as puts the value under a key.
func as(key string) func(map[string][]string, string) {
	return func(set map[string][]string, value string) { set[key] = append(set[key], value) }
}

func spellings() []spelling {
	return []spelling{
		{"header", "H", "http: send the field `'NAME: VALUE'`", "", putHeader},
		{"user-agent", "A", "http: call ourselves `NAME`", "", as("http.user-agent")},
		{"referer", "e", "http: say that `URI` led here", "", as("http.referer")},
		{"cert", "", "https, gemini: show the server the client certificate in `FILE`", "", everywhere(".cert")},
		{"key", "", "the `FILE` with the key of --cert, if that is another", "", everywhere(".key")},
		{"compressed", "", "http: ask for a content coding, and undo it", "1", as("http.compressed")},
		{"data", "", "gopher: answer a question of a form with `TEXT`", "", as("gopher.data")},
		{"http0.9", "", "http: ask as HTTP/0.9 did, and take such an answer", "0.9", as("http.version")},
		{"http1.0", "", "http: speak HTTP/1.0", "1.0", as("http.version")},
		{"http1.1", "", "http: speak HTTP/1.1 (the default)", "1.1", as("http.version")},
		{"http2", "", "http: speak HTTP/2", "2", as("http.version")},
		{"ftp-method", "", "ftp: reach folders by `METHOD` multicwd, nocwd or auto", "", as("ftp.method")},
		{"type", "", "ftp: transfer as `TYPE` a, i or auto (by the suffix)", "", as("ftp.type")},
		{"ftp-port", "P", "ftp: let the server connect to us", "yes", as("ftp.active")},
		{"disable-epsv", "", "ftp: PASV without EPSV", "no", as("ftp.epsv")},
		{"no-pipeline", "", "ftp, news: wait for each reply", "no", everywhere(".pipeline")},
		{"from", "", "the user's `ADDRESS`, also the anonymous FTP password", "", everywhere(".from")},
		{"smtp", "", "mailto: the submission server, `HOST[:PORT]`, smtp://... or smtps://...", "", as("mailto.smtp")},
		{"ssl-reqd", "", "TLS, or nothing is said", "require", everywhere(".ssl")},
		{"news", "", "news: the local `HOST`, or articles received: spool:DIR, mbox:FILE, maildir:DIR", "", as("news.host")},
		{"last", "", "news: the last `N` numbers of a group", "", as("news.last")},
		{"since", "", "news, mailto: articles and messages of `DATE` and later", "", everywhere(".since")},
		{"thread", "", "news: the thread of an article", "yes", as("news.thread")},
		{"part", "", "mail, news: part `N` of a message, decoded", "", everywhere(".part")},
		{"all", "", "mid: all messages of the id, not the first alone", "yes", as("mid.all")},
	}
}

// putHeader keeps apart what is a credential, and so bound to one server.
func putHeader(set map[string][]string, line string) {
	name, _, _ := strings.Cut(line, ":")
	switch textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name)) {
	case "Authorization", "Cookie", "Proxy-Authorization", "Host":
		as("http.credential-header")(set, line)
	default:
		as("http.header")(set, line)
	}
}

// everywhere puts the value under every key with the ending: a wish that several schemes have in common.
func everywhere(ending string) func(map[string][]string, string) {
	return func(set map[string][]string, value string) {
		for _, s := range schemes.All(nil) {
			for _, known := range s.Settings {
				if strings.HasSuffix(known.Key, ending) {
					set[known.Key] = []string{value}
				}
			}
		}
	}
}

// mayBeVoid reports whether a void value says something: no name, no referer, a void answer.
func (s spelling) mayBeVoid() bool {
	return slices.Contains([]string{"user-agent", "referer", "data"}, s.long)
}

// spelled is a flag value that remembers what was said, in order.
type spelled struct {
	spelling
	puts *[]func(set map[string][]string)
	said string // at last
}

func (s *spelled) String() string { return s.said }
func (s *spelled) Type() string {
	if s.fixed != "" {
		return "bool"
	}
	return "string"
}
func (s *spelled) Set(v string) error {
	switch {
	case s.fixed != "":
		on, err := strconv.ParseBool(v)
		if err != nil {
			return err
		}
		s.said = strconv.FormatBool(on)
		*s.puts = append(*s.puts, func(set map[string][]string) {
			if s.said == "true" {
				s.put(set, s.fixed)
			}
		})
		return nil
	case v == "" && !s.mayBeVoid():
		return errVoid
	}
	s.said = v
	*s.puts = append(*s.puts, func(set map[string][]string) { s.put(set, v) })
	return nil
}

// addSpellings adds the flags. Those that the command line gives add to puts what they put.
func addSpellings(fs *pflag.FlagSet, puts *[]func(set map[string][]string)) {
	for _, s := range spellings() {
		flag := fs.VarPF(&spelled{spelling: s, puts: puts}, s.long, s.short, s.help)
		if s.fixed != "" {
			flag.NoOptDefVal = "true"
		}
	}
}
