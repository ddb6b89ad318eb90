package flags

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// A foreignFlag is one that curl or wget has and deref has not, or means otherwise: the error that it gives names our way.
type foreignFlag struct {
	names string // with blanks between, short ones of one letter
	hint  string
}

const (
	NoUploads = "deref asks (GET, and HEAD with -I) and posts nothing; deref send hands messages over by mailto and news"
	copying   = "deref mirror URI DIR copies trees (deref help mirror)"
	retrying  = "--retry N waits longer each time, and only where another try may help"
	forHost   = "credentials are -u USER:PASSWORD, --user-file FILE, or -n for ~/.netrc"
	isAlways  = "that is how it always is"
	encrypted = "TLS that a server offers is taken before a password is said; --ssl-reqd wants it always"
)

func foreignFlags() []foreignFlag {
	return []foreignFlag{
		// curl
		{"T upload-file a append", "nothing is uploaded; deref send hands messages over by mailto and news"},
		{"d data-raw data-binary data-urlencode data-ascii F form form-string G get url-query X request post301 post302 post303", NoUploads},
		{"retry-delay retry-all-errors retry-connrefused", retrying},
		{"# progress-bar", "--progress bar"},
		{"no-progress-meter no-verbose", "--progress none, or -s"},
		{"fail-with-body fail-early", "the exit code says what failed (deref help exit-codes); -v shows the head of the answer"},
		{"N", "curl's --no-buffer is how it always is; wget's --timestamping is -R -z FILE -o FILE, or deref mirror"},
		{"no-buffer ftp-pasv ftp-skip-pasv-ip raw disallow-username-in-url no-sessionid", isAlways},
		{"netrc-optional", "-n"},
		{"4 ipv4", "--deny ::/0 keeps to IPv4"},
		{"6 ipv6", "--deny 0.0.0.0/0 keeps to IPv6"},
		{"K", "--config FILE (deref help config)"},
		{"url", "a URI stands by itself; --input FILE has many"},
		{"D dump-header server-response", "-I, or -i before the document; -I -o FILE writes it; --json has it too"},
		{"resolve connect-to", "-H 'Host: NAME' http://ADDRESS/"},
		{"socks5 socks5-hostname preproxy", "-x socks5://HOST:PORT"},
		{"proxy-user U", "-x http://USER:PASSWORD@HOST:PORT"},
		{"proto proto-redir", "--follow-to LIST says where referrals may lead besides"},
		{"proto-default", "a URI begins with its scheme"},
		{"l list-only", "--format uri-list; wget's --level is deref mirror --depth N"},
		{"ssl ftp-ssl ftp-ssl-reqd ftp-ssl-control", encrypted},
		{"basic digest anyauth", "--set http.auth=basic|digest; else what the server asks for"},
		{"ntlm negotiate", "of HTTP, basic and digest are known"},
		{"tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 secure-protocol", "TLS is of version 1.2 at least"},
		{"http3", "HTTP is spoken up to version 2: --http2"},
		{"remote-name-all", "-O is for all URIs"},
		{"stderr", "2>FILE"},
		{"y speed-time Y speed-limit", "--idle-timeout SECONDS bounds a silence, -m SECONDS the whole"},
		{"location-trusted", "credentials go to the same scheme, host and port alone"},
		{"t telnet-option", "--set telnet.term=TYPE; wget's --tries is --retry N"},
		{"next : parallel-immediate", "flags are for all URIs; -Z is many at a time"},
		{"capath ca-directory ca-certificate", "--cacert FILE"},
		{"cert-type key-type certificate private-key", "--cert FILE, --key FILE (PEM)"},
		{"trace-ascii debug", "-v, --trace FILE"},
		{"manual M", "deref help, man deref"},
		{"Q quote prequote", "deref explain shows the commands; others are not sent"},
		{"unix-socket interface dns-servers doh-url", "connections go where the URI says, as the system leads them"},
		// wget
		{"output-document -", "-o FILE; - is standard output, where a document goes anyway"},
		{"input-file", "--input FILE"},
		{"directory-prefix", "--output-dir DIR"},
		{"continue start-pos", "-C -, -C N"},
		{"tries", "--retry N"},
		{"timeout dns-timeout read-timeout", "-m, --connect-timeout, --idle-timeout SECONDS"},
		{"wait random-wait waitretry", "--pause SECONDS"},
		{"quota", "--max-filesize SIZE is for a document; deref mirror --max-count N for a run"},
		{"password http-user http-password ftp-user ftp-password ask-password", forHost},
		{"load-cookies", "-b FILE"},
		{"save-cookies keep-session-cookies", "-c FILE"},
		{"no-check-certificate", "-k, --insecure"},
		{"post-data post-file method body-data body-file", NoUploads},
		{"warc-file", "--warc FILE.warc.gz"},
		{"accept reject accept-regex reject-regex", "deref mirror --include PATTERN, --exclude PATTERN"},
		{"background", "nohup deref ... &"},
		{"spider", "-I asks for one; deref check looks after many"},
		{"mirror recursive level page-requisites p convert-links adjust-extension E no-parent span-hosts", copying},
		{"no-host-directories force-directories cut-dirs no-directories", copying},
		{"content-disposition", "-O -J"},
		{"timestamping", "-R -z FILE -o FILE, or deref mirror"},
		{"no-clobber", "-O replaces no file; --force does"},
		{"no-proxy", "--noproxy '*'"},
		{"max-redirect", "--max-redirs N"},
		{"execute", "--set KEY=VALUE"},
		{"no-cookies no-cache", "cookies and answers are kept only where -b, -c, --cache say so"},
	}
}

// equivalent is the hint for a flag of curl or wget that is none of ours, "" where it is not known.
func equivalent(name string) string {
	for _, f := range foreignFlags() {
		if slices.Contains(strings.Fields(f.names), name) {
			return f.hint
		}
	}
	return ""
}

// SwallowedURI is what is wrong where a flag has taken the only URI for its value.
func SwallowedURI(fs *pflag.FlagSet) (err error) {
	if fs.NArg() > 0 || isOn(fs, "input") {
		return nil
	}
	fs.Visit(func(f *pflag.Flag) {
		if v := f.Value.String(); strings.Contains(v, "://") && err == nil {
			u := &UsageError{Text: "no URI given; " + shortest(f) + " has taken " + MaskLogin(v) + " for its value"}
			if f.Name == "range" { // wget's -r
				u.Hint = copying
			}
			err = u
		}
	})
	return err
}
