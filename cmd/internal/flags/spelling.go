package flags

import (
	"net/textproto"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/schemes"
)

// A Spelling is a flag that puts a scheme's setting: what --set can say too, in the words that people know.
type Spelling struct {
	Long, short, help string
	Fixed             string // the value, for flags without one
	Put               func(set map[string][]string, value string)
}

// as puts the value under a key.
func as(key string) func(map[string][]string, string) {
	return func(set map[string][]string, value string) { set[key] = append(set[key], value) }
}

func Spellings() []Spelling {
	return []Spelling{
		{"header", "H", "http: send the field `'NAME: VALUE'`", "", putHeader},
		{"user-agent", "A", "http: call ourselves `NAME`", "", as("http.user-agent")},
		{"referer", "e", "http: say that `URI` led here", "", as("http.referer")},
		{"cert", "", "https, gemini: show the server the client certificate in `FILE`", "", ForAllSchemes(".cert")},
		{"key", "", "the `FILE` with the key of --cert, if that is another", "", ForAllSchemes(".key")},
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
		{"no-pipeline", "", "ftp, news: wait for each reply", "no", ForAllSchemes(".pipeline")},
		{"from", "", "the user's `ADDRESS`, also the anonymous FTP password", "", ForAllSchemes(".from")},
		{"smtp", "", "mailto: the submission server, `HOST[:PORT]`, smtp://... or smtps://...", "", as("mailto.smtp")},
		{"ssl-reqd", "", "TLS, or nothing is said", "require", ForAllSchemes(".ssl")},
		{"news", "", "news: the local `HOST`, or articles received: spool:DIR, mbox:FILE, maildir:DIR", "", as("news.host")},
		{"last", "", "news: the last `N` numbers of a group", "", as("news.last")},
		{"since", "", "news, mailto: articles and messages of `DATE` and later", "", ForAllSchemes(".since")},
		{"thread", "", "news: the thread of an article", "yes", as("news.thread")},
		{"part", "", "mail, news: part `N` of a message, decoded", "", ForAllSchemes(".part")},
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

// ForAllSchemes puts the value under every key with the ending: a wish that several schemes have in common.
func ForAllSchemes(ending string) func(map[string][]string, string) {
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

// mayBeEmpty reports whether a void value says something: no name, no referer, a void answer.
func (s Spelling) mayBeEmpty() bool {
	return slices.Contains([]string{"user-agent", "referer", "data"}, s.Long)
}

// spelled is a flag value that remembers what was said, in order.
type spelled struct {
	Spelling
	puts *[]func(set map[string][]string)
	said string // at last
}

func (s *spelled) String() string { return s.said }
func (s *spelled) Type() string {
	if s.Fixed != "" {
		return "bool"
	}
	return "string"
}
func (s *spelled) Set(v string) error {
	switch {
	case s.Fixed != "":
		on, err := strconv.ParseBool(v)
		if err != nil {
			return err
		}
		s.said = strconv.FormatBool(on)
		*s.puts = append(*s.puts, func(set map[string][]string) {
			if s.said == "true" {
				s.Put(set, s.Fixed)
			}
		})
		return nil
	case v == "" && !s.mayBeEmpty():
		return errEmpty
	}
	s.said = v
	*s.puts = append(*s.puts, func(set map[string][]string) { s.Put(set, v) })
	return nil
}

// AddSpellings adds the flags. Those that the command line gives add to puts what they put.
func AddSpellings(fs *pflag.FlagSet, puts *[]func(set map[string][]string)) {
	for _, s := range Spellings() {
		flag := fs.VarPF(&spelled{Spelling: s, puts: puts}, s.Long, s.short, s.help)
		if s.Fixed != "" {
			flag.NoOptDefVal = "true"
		}
	}
}
