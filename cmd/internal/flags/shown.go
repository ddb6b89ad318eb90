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

// CommandLine returns the command line args of a command with the flags fs, flags first, without secrets, in the syntax of a shell. Logins in URIs
// are hidden.
func CommandLine(fs *pflag.FlagSet, args []string) string {
	c := commandLine{schemes.All(nil)}
	var words []string
	err := fs.ParseAll(args, func(f *pflag.Flag, value string) error {
		switch {
		case f.NoOptDefVal != "" && value == f.NoOptDefVal:
			words = append(words, "--"+f.Name)
			return nil
		case !isShown(f):
			value = hidden
		}
		words = append(words, "--"+f.Name+"="+c.masked(value, strings.HasPrefix(f.Name, "proxy") || strings.HasPrefix(f.Name, "socks5")))
		return nil
	})
	if err != nil { // the command line has been parsed, so this cannot be
		return hidden
	}
	if slices.ContainsFunc(fs.Args(), func(arg string) bool { return strings.HasPrefix(arg, "-") }) {
		words = append(words, "--")
	}
	for _, arg := range fs.Args() {
		words = append(words, c.masked(arg, false))
	}
	for i, w := range words {
		words[i] = Quoted(w)
	}
	return strings.Join(words, " ")
}

// A commandLine hides the secrets of a command line.
type commandLine struct{ schemes fetch.Registry }

// isShown reports whether the values of a flag are no secrets.
func isShown(f *pflag.Flag) bool {
	switch f.Value.Type() {
	case "TEXT", "string", "strings":
		return slices.Contains(strings.Fields(shown), f.Name)
	}
	return true // numbers, times, sizes and choices
}

// masked hides the login in an argument, which need not be a valid URI: it may be a pattern of several. isServer is true for USER:PASSWORD@HOST
// without a scheme.
func (c commandLine) masked(s string, isServer bool) string {
	_, rest, ok := strings.Cut(s, "://")
	if !ok {
		if rest = s; !isServer && c.isOpaque(s) {
			return s
		}
	}
	end := strings.LastIndexByte(rest, '@')
	if host := strings.IndexAny(rest, "/?#"); host >= 0 && end > host && !hasPassword(rest[:host]) {
		end = strings.LastIndexByte(rest[:host], '@')
	}
	if end < 0 {
		return s
	}
	return strings.TrimSuffix(s, rest) + hidden + rest[end:]
}

// isOpaque reports whether s is a URI without an authority, like mailto:anne@example.org, or not a URI with a password.
func (c commandLine) isOpaque(s string) bool {
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
