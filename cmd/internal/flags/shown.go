package flags

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
)

// hidden replaces a secret.
const hidden = "***"

// shown are the flags with texts that a record of the command line shows. Others are hidden, so that a new flag is hidden until somebody
// decides that its value is not a secret. --cookie, --data, --from, --header, --oauth2-bearer, --proxy-user, --set and --user stay hidden.
const shown = `
	accept-type allow allow-port allow-scheme at base bookmarks cacert cache cache-age cdx charset checksum connect-to cookie-jar
	cert data-urlencode deny exclude follow-to format from-mirror from-warc ftp-method gateway host-name include input ipv4 ipv6 key last
	log mail max-delete mode netrc-file news noproxy output output-dir part path-scheme pinnedpubkey proto proto-redir proxy
	range record referer remote-name replay report request requisites-host resolve rule search smtp socks5 socks5-hostname since state
	time-cond trace type unix-socket url url-query user-agent user-file warc warc-dedup write-out continue-at config
	`

// CommandLine returns the command line args of a command with the flags fs, without secrets, in the syntax of a shell. Passwords in URIs are
// hidden, and user names of schemes in which they are passwords.
func CommandLine(fs *pflag.FlagSet, args []string) string {
	c := commandLine{fs: fs, schemes: schemes.All(nil)}
	for c.args = args; len(c.args) > 0; {
		switch arg := c.next(); {
		case arg == "--":
			c.words = append(c.words, arg)
			for len(c.args) > 0 {
				c.words = append(c.words, c.masked(c.next(), false))
			}
		case strings.HasPrefix(arg, "--"):
			name, value, ok := strings.Cut(arg[2:], "=")
			c.flag(fs.Lookup(name), value, ok)
		case strings.HasPrefix(arg, "-") && arg != "-":
			c.letters(arg[1:])
		default:
			c.words = append(c.words, c.masked(arg, false))
		}
	}
	for i, w := range c.words {
		c.words[i] = Quoted(w)
	}
	return strings.Join(c.words, " ")
}

// A commandLine is a command line that is being copied.
type commandLine struct {
	fs      *pflag.FlagSet
	schemes fetch.Registry
	args    []string // still to be read
	words   []string
}

func (c *commandLine) next() string {
	if len(c.args) == 0 {
		return ""
	}
	arg := c.args[0]
	c.args = c.args[1:]
	return arg
}

// letters adds the flags of an argument like -sSo FILE.
func (c *commandLine) letters(s string) {
	for s != "" {
		f := c.fs.ShorthandLookup(s[:1])
		if s = s[1:]; f != nil && f.NoOptDefVal != "" && !strings.HasPrefix(s, "=") {
			c.flag(f, "", false)
			continue
		}
		c.flag(f, strings.TrimPrefix(s, "="), s != "")
		return
	}
}

// flag adds a flag with its value, which is the next argument if there is none yet.
func (c *commandLine) flag(f *pflag.Flag, value string, given bool) {
	switch {
	case f == nil: // the command line has been parsed, so this cannot be
		c.words = append(c.words, hidden)
		return
	case !given && f.NoOptDefVal != "":
		c.words = append(c.words, "--"+f.Name)
		return
	case !given:
		value = c.next()
	}
	if !isShown(f) {
		value = hidden
	}
	c.words = append(c.words, "--"+f.Name+"="+c.masked(value, strings.HasPrefix(f.Name, "proxy") || strings.HasPrefix(f.Name, "socks5")))
}

// isShown reports whether the values of a flag are no secrets.
func isShown(f *pflag.Flag) bool {
	switch f.Value.Type() {
	case "TEXT", "string", "strings":
		return slices.Contains(strings.Fields(shown), f.Name)
	}
	return true // numbers, times, sizes and choices
}

// masked hides the password in an argument, which need not be a valid URI: it may be a pattern of several. isServer is true for USER:PASSWORD@HOST
// without a scheme.
func (c *commandLine) masked(s string, isServer bool) string {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		if scheme, rest = "", s; !isServer && c.isOpaque(s) {
			return s
		}
	}
	before := s[:len(s)-len(rest)]
	end := strings.LastIndexByte(rest, '@')
	if host := strings.IndexAny(rest, "/?#"); host >= 0 && end > host && !hasPassword(rest[:host]) {
		end = strings.LastIndexByte(rest[:host], '@')
	}
	if end < 0 {
		return s
	}
	name, _, ok := strings.Cut(rest[:end], ":")
	scheme = scheme[strings.LastIndexAny(scheme, "=: ")+1:] // KEY=URI, URL:URI
	if is, known := c.schemes.Lookup(strings.ToLower(scheme)); known && is.Rules.SecretUser {
		return before + hidden + rest[end:]
	}
	if !ok {
		return s
	}
	return before + name + ":" + hidden + rest[end:]
}

// isOpaque reports whether s is a URI without an authority, like mailto:anne@example.org, or not a URI with a password.
func (c *commandLine) isOpaque(s string) bool {
	scheme, _, ok := strings.Cut(s, ":")
	if !ok {
		return true
	}
	_, known := c.schemes.Lookup(strings.ToLower(scheme))
	return known
}

// hasPassword reports whether an authority is a user name and the beginning of a password that contains a slash: its port is not a number.
func hasPassword(authority string) bool {
	_, port, ok := strings.Cut(authority, ":")
	return ok && !strings.HasPrefix(authority, "[") && strings.Trim(port, "0123456789") != "" && !strings.Contains(authority, "@")
}
