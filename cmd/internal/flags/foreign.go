package flags

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// NoUploads is the hint for the flags that send data.
const NoUploads = "deref retrieves and never sends forms or files; curl sends them, and deref send sends messages by mailto and news"

// foreignFlags lists flags of curl, and then of wget, that deref does not have, or that mean something else. Each line has the names, the
// short ones as one letter, and a hint: a sentence with what does the same.
const foreignFlags = `
T upload-file a append | deref retrieves and never sends files; curl -T FILE URI uploads one, and wget's -T is --idle-timeout SECONDS
data-raw data-binary data-ascii F form form-string json post-data post-file method body-data body-file | ` + NoUploads + `
D dump-header server-response | -I prints the metadata, -i prints them before the document, and -I -o FILE writes them to a file
no-buffer | deref never buffers, so the flag is not needed
N | -R -z FILE -o FILE retrieves only what is newer than FILE, like wget -N, and deref mirror keeps a tree current
K | --config FILE reads flags from a file in the format of deref help config
preproxy | -x socks5://HOST:PORT uses one proxy; deref cannot chain two
proto-default | write the scheme: deref https://HOST/
l list-only | --format uri-list lists one URI a line; wget's --level is deref mirror --depth N
ntlm negotiate proxy-ntlm proxy-negotiate aws-sigv4 | deref knows basic and digest for HTTP; curl knows the others
tls-max secure-protocol sslv2 sslv3 2 3 | deref uses TLS 1.2 or later, and --tlsv1.3 requires 1.3
ciphers tls13-ciphers curves proxy-ciphers | the TLS library chooses the ciphers; without the flag the connection has secure ones
http3 http3-only | --http2 is the latest version of HTTP that deref knows
stderr | 2>FILE writes the messages to a file
y speed-time Y speed-limit | --idle-timeout SECONDS limits a silence, and -m SECONDS the whole request
location-trusted | deref sends credentials only to the same scheme, host and port; -u with the final URI sends them there
t telnet-option | --retry N is wget's -t, and --set telnet.term=TYPE is curl's
next : | flags apply to all URIs, so run deref once for each set of flags
capath ca-directory ca-certificate | --cacert FILE trusts the authorities in FILE, which may hold many
cert-type key-type certificate private-key pass | --cert FILE and --key FILE name the certificate and its key, both without a passphrase, as PEM
trace-ascii debug | -v shows the conversation, and --trace FILE writes it to a file
manual M | deref help and man deref have the manual
Q quote prequote | deref sends the commands that deref explain URI prints and sends no others; curl -Q sends any, and wget's -Q is --max-filesize SIZE
interface dns-servers dns-interface doh-url local-port | deref uses the system's routes and resolver; --resolve HOST:PORT:ADDRESS names an address
remove-on-error | FILE is written only if the document is complete, so it never has to be removed
output-document - | -o FILE writes to a file, and -o - to standard output, which is the default
input-file | --input FILE reads URIs from a file
directory-prefix | -O --output-dir DIR writes files into a directory
continue | -C - -O continues a file
start-pos | -C N begins at an offset
tries | --retry N repeats temporary failures
timeout dns-timeout read-timeout | --connect-timeout SECONDS and --idle-timeout SECONDS limit a silence, and -m SECONDS the whole request
wait random-wait waitretry | --pause SECONDS waits after each response of a host
quota | --max-filesize SIZE limits a document, and deref mirror --max-count N a run
password http-user http-password ftp-user ftp-password ask-password proxy-password | credentials are -u USER:PASSWORD, --user-file FILE, or -n for ~/.netrc
load-cookies | -b FILE sends the cookies of a file
save-cookies keep-session-cookies | -c FILE writes the cookies to a file
no-check-certificate | -k accepts any certificate, and --cacert FILE names the authority to trust
warc-file | --warc FILE.warc.gz writes an archive
accept reject accept-regex reject-regex | deref mirror --include PATTERN and --exclude PATTERN choose files
background | nohup deref -O URI & runs in the background
spider | -I requests the metadata of one URI, and deref check tests many
mirror recursive level page-requisites p convert-links adjust-extension no-parent span-hosts no-host-directories force-directories cut-dirs no-directories | deref mirror URI DIR copies trees (deref help mirrors)
content-disposition | -O -J uses the name that the server sends
content-on-error | --fail-with-body writes the page of a refusal, too
timestamping | -R -z FILE -o FILE retrieves only what is newer than FILE, and deref mirror keeps a tree current
no-clobber | -O never replaces a file without --force
no-proxy | --noproxy '*' connects without a proxy
max-redirect | --max-redirs N limits the redirects
https-only | --proto =https allows nothing else
compression | --compressed requests compression
show-progress | --progress bar shows progress
no-passive-ftp | -P lets the server connect to this machine
execute | --set KEY=VALUE changes a setting, and -x PROXY names a proxy
no-cookies no-cache | deref keeps cookies and responses only with -b, -c and --cache
`

// bundles are short flags of wget that curl and deref read as several others.
const bundles = `
nc | -O never replaces a file without --force
nd nH np | deref mirror URI DIR copies trees (deref help mirrors), and deref -O writes one file
`

// equivalent returns the hint for a flag of curl or wget, or "".
func equivalent(name string) string { return hintIn(foreignFlags, name) }

func hintIn(table, name string) string {
	for line := range strings.Lines(table) {
		names, hint, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " | ")
		if slices.Contains(strings.Fields(names), name) {
			return hint
		}
	}
	return ""
}

// swallowedFlag returns an error if the value of -r or -c is another flag: in wget, they have no values.
func swallowedFlag(fs *pflag.FlagSet) error {
	for name, wget := range map[string]string{"range": "recursive", "cookie-jar": "continue"} {
		f := fs.Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		if v := f.Value.String(); len(v) > 1 && v[0] == '-' && (v[1] < '0' || v[1] > '9') {
			return &UsageError{shortest(f) + " needs a value: " + valueName(f) + ", not the flag " + v, equivalent(wget)}
		}
	}
	return nil
}

// SwallowedURI returns an error if there are no arguments and a flag's value looks like a URI.
func SwallowedURI(fs *pflag.FlagSet) (err error) {
	if err := swallowedFlag(fs); err != nil {
		return err
	}
	if fs.NArg() > 0 || isOn(fs, "input") || isOn(fs, "url") {
		return nil
	}
	fs.Visit(func(f *pflag.Flag) {
		if v := f.Value.String(); strings.Contains(v, "://") && err == nil {
			u := &UsageError{Text: "no URI given; " + MaskLogin(v) + " is the value of " + shortest(f)}
			switch f.Name { // wget's flags of these letters have no value
			case "range":
				u.Hint = equivalent("recursive")
			case "cookie-jar":
				u.Hint = equivalent("continue")
				if isOn(fs, "netrc") {
					u.Hint = hintIn(bundles, "nc")
				}
			case "data":
				u.Hint = NoUploads
				if isOn(fs, "netrc") {
					u.Hint = hintIn(bundles, "nd")
				}
			case "cookie":
				u.Hint = equivalent("background")
			case "proxy":
				u.Hint = "wget's -x makes directories, as deref mirror URI DIR does"
			}
			err = u
		}
	})
	return err
}
