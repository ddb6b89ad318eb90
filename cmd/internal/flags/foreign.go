package flags

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// NoUploads is the hint for the flags that send data.
const NoUploads = "deref sends GET, or HEAD with -I, and uploads nothing; deref send sends messages by mailto and news"

// foreignFlags lists flags of curl, and then of wget, that deref does not have, or that mean something else. Each line has the names, the
// short ones as one letter, and a hint, which names deref's equivalent.
const foreignFlags = `
T upload-file a append | deref uploads nothing; deref send sends messages by mailto and news
d data-raw data-binary data-urlencode data-ascii F form form-string G get url-query X request post301 post302 post303 post-data post-file method body-data body-file | ` + NoUploads + `
retry-delay retry-all-errors retry-connrefused | --retry N waits longer each time, and retries only temporary failures
# progress-bar | --progress bar
no-progress-meter no-verbose | --progress none, or -s
fail-with-body fail-early | the exit code tells what failed (deref help exit-codes); -v shows the header of the response
N | deref never buffers, as with curl's -N; wget's --timestamping is -R -z FILE -o FILE, or deref mirror
no-buffer ftp-pasv ftp-skip-pasv-ip raw disallow-username-in-url no-sessionid | deref always does this
netrc-optional | -n
4 ipv4 | --deny ::/0 allows only IPv4
6 ipv6 | --deny 0.0.0.0/0 allows only IPv6
K | --config FILE (deref help config)
url | a URI needs no flag; --input FILE reads many
D dump-header server-response | -I prints the header, -i prints it before the document, -I -o FILE writes it to a file; --json has it, too
resolve connect-to | -H 'Host: NAME' http://ADDRESS/
socks5 socks5-hostname preproxy | -x socks5://HOST:PORT
proxy-user U | -x http://USER:PASSWORD@HOST:PORT
proto proto-redir | --follow-to LIST allows more schemes for referrals
proto-default | a URI begins with its scheme
l list-only | --format uri-list; wget's --level is deref mirror --depth N
ssl ftp-ssl ftp-ssl-reqd ftp-ssl-control | deref uses the TLS that a server offers before it sends a password; --ssl-reqd requires TLS
basic digest anyauth | --set http.auth=basic|digest; by default deref uses what the server requests
ntlm negotiate | deref knows basic and digest for HTTP
tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 secure-protocol | deref uses TLS 1.2 or later
http3 | deref knows HTTP up to version 2: --http2
remote-name-all | -O applies to all URIs
stderr | 2>FILE
y speed-time Y speed-limit | --idle-timeout SECONDS limits a silence, -m SECONDS the whole request
location-trusted | deref sends credentials only to the same scheme, host and port
t telnet-option | --set telnet.term=TYPE; wget's --tries is --retry N
next : parallel-immediate | flags apply to all URIs; -Z fetches several at a time
capath ca-directory ca-certificate | --cacert FILE
cert-type key-type certificate private-key | --cert FILE, --key FILE (PEM)
trace-ascii debug | -v, --trace FILE
manual M | deref help, man deref
Q quote prequote | deref explain shows the commands; deref sends no others
unix-socket interface dns-servers doh-url | deref connects to the host of the URI, by the system's resolver and routes
output-document - | -o FILE; - is standard output, the default
input-file | --input FILE
directory-prefix | --output-dir DIR
continue start-pos | -C -, -C N
tries | --retry N
timeout dns-timeout read-timeout | -m, --connect-timeout, --idle-timeout SECONDS
wait random-wait waitretry | --pause SECONDS
quota | --max-filesize SIZE limits a document, deref mirror --max-count N a run
password http-user http-password ftp-user ftp-password ask-password | credentials are -u USER:PASSWORD, --user-file FILE, or -n for ~/.netrc
load-cookies | -b FILE
save-cookies keep-session-cookies | -c FILE
no-check-certificate | -k, --insecure
warc-file | --warc FILE.warc.gz
accept reject accept-regex reject-regex | deref mirror --include PATTERN, --exclude PATTERN
background | nohup deref ... &
spider | -I requests the metadata of one URI; deref check tests many
mirror recursive level page-requisites p convert-links adjust-extension E no-parent span-hosts no-host-directories force-directories cut-dirs no-directories | deref mirror URI DIR copies trees (deref help mirror)
content-disposition | -O -J
timestamping | -R -z FILE -o FILE, or deref mirror
no-clobber | -O never replaces a file without --force
no-proxy | --noproxy '*'
max-redirect | --max-redirs N
execute | --set KEY=VALUE
no-cookies no-cache | deref keeps cookies and responses only with -b, -c and --cache
`

// equivalent returns the hint for a flag of curl or wget, or "".
func equivalent(name string) string {
	for line := range strings.Lines(foreignFlags) {
		names, hint, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " | ")
		if slices.Contains(strings.Fields(names), name) {
			return hint
		}
	}
	return ""
}

// SwallowedURI returns an error if there are no arguments and a flag's value looks like a URI.
func SwallowedURI(fs *pflag.FlagSet) (err error) {
	if fs.NArg() > 0 || isOn(fs, "input") {
		return nil
	}
	fs.Visit(func(f *pflag.Flag) {
		if v := f.Value.String(); strings.Contains(v, "://") && err == nil {
			u := &UsageError{Text: "no URI given; " + MaskLogin(v) + " is the value of " + shortest(f)}
			if f.Name == "range" { // wget's -r
				u.Hint = equivalent("recursive")
			}
			err = u
		}
	})
	return err
}
