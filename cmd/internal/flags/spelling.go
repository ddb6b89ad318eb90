package flags

import (
	"io"
	"net/textproto"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/schemes"
)

// A Spelling is a flag that sets a setting of one or more schemes under a familiar name. --set can set the same.
type Spelling struct {
	Long, short, help string
	Fixed             string // the setting's value, if the flag has none
	key               string // the setting; one that begins with a full stop is that of all schemes that have it
}

// Put sets the setting to value.
func (s *Spelling) Put(set map[string][]string, value string) {
	switch {
	case s.Long == "header":
		putHeader(set, value)
	case s.Long == "oauth2-bearer":
		set[s.key] = append(set[s.key], "Authorization: Bearer "+value) // RFC 6750 section 2.1
	case s.key[0] == '.':
		SetAll(set, s.key, value)
	default:
		set[s.key] = append(set[s.key], value)
	}
}

func Spellings() []Spelling {
	return []Spelling{
		{"header", "H", "http: send the field `'NAME: VALUE'`, or the fields in @FILE", "", "http.header"},
		{"user-agent", "A", "http: identify as `NAME`", "", "http.user-agent"},
		{"referer", "e", "http: send `URI` as the referrer", "", "http.referer"},
		{"cert", "E", "https, gemini: send the client certificate in `FILE`", "", ".cert"},
		{"key", "", "the `FILE` with the key of --cert, if it is another file", "", ".key"},
		{"basic", "", "http: send -u with the first request, as Basic", "basic", "http.auth"},
		{"digest", "", "http: send -u only as Digest", "digest", "http.auth"},
		{"oauth2-bearer", "", "http: send the token `TOKEN` as Authorization: Bearer", "", "http.credential-header"},
		{"compressed", "", "http: request compression, and decompress", "1", "http.compressed"},
		{"data", "d", "gopher: answer a question of a form with `TEXT`", "", "gopher.data"},
		{"http1.0", "0", "http: use HTTP/1.0", "1.0", "http.version"},
		{"http1.1", "", "curl's flag for the default, HTTP/1.1", "1.1", "http.version"},
		{"http2", "", "http: use HTTP/2", "2", "http.version"},
		{"ftp-method", "", "ftp: change directory by `METHOD` multicwd, nocwd or auto", "", "ftp.method"},
		{"ftp-port", "P", "ftp: active mode: the server connects to us", "yes", "ftp.active"},
		{"disable-epsv", "", "curl's flag for --set ftp.epsv=no", "no", "ftp.epsv"},
		{"from", "", "the user's mail `ADDRESS`, also the anonymous FTP password", "", ".from"},
		{"smtp", "", "mailto: the submission server, `HOST[:PORT]`, smtp://... or smtps://...", "", "mailto.smtp"},
		{"ssl-reqd", "", "send nothing without TLS", "require", ".ssl"},
		{"news", "", "news: the news `HOST`, or a store of articles: spool:DIR, mbox:FILE, maildir:DIR", "", "news.host"},
		{"last", "", "news: the last `N` article numbers of a group", "", "news.last"},
		{"since", "", "news, mailto: articles and messages since `DATE`", "", ".since"},
		{"part", "", "mail, news: part `N` of a message, decoded", "", ".part"},
	}
}

// putHeader sets credentials apart from other fields, because they belong to one server.
func putHeader(set map[string][]string, line string) {
	name, _, _ := strings.Cut(line, ":")
	key := "http.header"
	switch textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name)) {
	case "Authorization", "Cookie", "Proxy-Authorization", "Host":
		key = "http.credential-header"
	}
	set[key] = append(set[key], line)
}

// SetAll sets every key with the ending, for settings that several schemes have.
func SetAll(set map[string][]string, ending, value string) {
	for _, s := range schemes.All(nil) {
		for _, known := range s.Settings {
			if strings.HasSuffix(known.Key, ending) {
				set[known.Key] = []string{value}
			}
		}
	}
}

// A Put sets the settings of one use of a flag. It may read a file, which is stdin if it has the name "-".
type Put func(set map[string][]string, stdin io.Reader) error

// spelled is the flag value of a Spelling.
type spelled struct {
	Spelling
	puts *[]Put
	said string // the last value
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
		*s.puts = append(*s.puts, func(set map[string][]string, _ io.Reader) error {
			if s.said == "true" {
				s.Put(set, s.Fixed)
			}
			return nil
		})
		return nil
	case v == "" && !slices.Contains([]string{"user-agent", "referer", "data"}, s.Long): // no name, no referrer, an empty answer
		return errEmpty
	}
	if err := foreignValue(s.Long, v); err != nil {
		return err
	}
	s.said = v
	*s.puts = append(*s.puts, func(set map[string][]string, stdin io.Reader) error {
		name, isFile := strings.CutPrefix(v, "@")
		if !isFile || s.Long != "header" {
			s.Put(set, v)
			return nil
		}
		text, err := ReadFile(name, stdin, MaxValue)
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimRight(line, "\r\n"); line != "" {
				s.Put(set, line)
			}
		}
		return err
	})
	return nil
}

// AddSpellings adds the flags of Spellings. Each use of one appends to puts a function that sets its setting.
func AddSpellings(fs *pflag.FlagSet, puts *[]Put) {
	for _, s := range Spellings() {
		flag := fs.VarPF(&spelled{Spelling: s, puts: puts}, s.Long, s.short, s.help)
		if s.Fixed != "" {
			flag.NoOptDefVal = "true"
		}
		flag.Hidden = strings.HasPrefix(s.help, "curl's ")
	}
}
