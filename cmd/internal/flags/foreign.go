package flags

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// NoUploads is the hint for the flags that send data.
const NoUploads = "deref retrieves and never sends forms or files; curl sends them, and deref send sends messages by mailto and news"

// CurlFlags lists flags of curl that deref does not have, or that mean something else. Each line has the names, and a hint: a
// sentence with what does the same.
const CurlFlags = `
-T --upload-file -a --append | deref retrieves and never sends files; curl -T FILE URI uploads one
-d --data-raw --data-binary --data-ascii -F --form --form-string --json | ` + NoUploads + `
-D --dump-header | -I prints the metadata, -i prints them before the document, and -I -o FILE writes them to a file
-K | --config FILE reads flags from a file in the format of deref help config
--preproxy | -x socks5://HOST:PORT uses one proxy; deref cannot chain two
--proto-default | write the scheme: deref https://HOST/
-l --list-only | --format uri-list lists one URI a line
--ntlm --negotiate --proxy-ntlm --proxy-negotiate --aws-sigv4 | deref knows basic and digest for HTTP; curl knows the others
--tls-max --sslv2 --sslv3 -2 -3 | deref uses TLS 1.2 or later, and --tlsv1.3 requires 1.3
--ciphers --tls13-ciphers --curves --proxy-ciphers | the TLS library chooses the ciphers; without the flag the connection has secure ones
--http0.9 | --set http.version=0.9 sends such a request and accepts such a response
--http3 --http3-only | --http2 is the latest version of HTTP that deref knows
--stderr | 2>FILE writes the messages to a file
-y --speed-time -Y --speed-limit | --idle-timeout SECONDS limits a silence, and -m SECONDS the whole request
--location-trusted | deref sends credentials only to the same scheme, host and port; -u with the final URI sends them there
-t --telnet-option | --set telnet.term=TYPE sets the type of the terminal
--next -: | flags apply to all URIs, so run deref once for each set of flags
--capath | --cacert FILE trusts the authorities in FILE, which may hold many
--cert-type --key-type --pass | --cert FILE and --key FILE name the certificate and its key, both without a passphrase, as PEM
--xattr | --json prints URI, media type and path of each document
--trace-ascii | -v shows the conversation, and --trace FILE writes it to a file
--manual -M | deref help --man prints the manual page
-Q --quote --prequote | deref sends the commands that deref explain URI prints and sends no others; curl -Q sends any
--interface --dns-servers --dns-interface --doh-url --local-port | deref uses the system's routes and resolver; --resolve HOST:PORT:ADDRESS names an address
--remove-on-error | FILE is written only if the document is complete, so it never has to be removed
`

// WgetFlags lists those of wget, in the same form, except for those of whole trees.
const WgetFlags = `
-O --output-document | -o FILE writes to a file, and -o - to standard output, which is the default
-c --continue | -C - -O continues a file
--start-pos | -C N begins at an offset
-i --input-file | --input FILE reads URIs from a file
--directory-prefix | -O --output-dir DIR writes files into a directory
-nc --no-clobber | --skip-existing requests nothing for a file that exists, and -O replaces none without --force
-N --timestamping | -R -z FILE -o FILE retrieves only what is newer than FILE, and deref mirror keeps a tree current
--content-disposition | -O -J uses the name that the server sends
-T --timeout --dns-timeout --read-timeout | --connect-timeout SECONDS and --idle-timeout SECONDS limit a silence, and -m SECONDS the whole request
-t --tries | --retry N repeats temporary failures
-w --wait --random-wait --waitretry | --pause SECONDS waits after each response of a host
-Q --quota | --max-filesize SIZE limits a document, and deref mirror --max-count N a run
-l --level | deref mirror --depth N follows links at most N steps
-q --quiet | -s prints no error lines; -q does not read the configuration file
-nv --no-verbose | without -v there is no conversation to hide, and -s also hides errors and progress
--debug | -v shows the conversation, and --trace FILE writes it to a file
-S --server-response | -I prints the metadata, and -i prints them before the document
--spider | -I requests the metadata of one URI, and deref check tests many
--content-on-error | --fail-with-body writes the page of a refusal, too
--show-progress | --progress bar shows progress
-b --background | nohup deref -O URI & runs in the background
-U | -A NAME names the program
--post-data --post-file --method --body-data --body-file | ` + NoUploads + `
--password --http-user --http-password --ftp-user --ftp-password --ask-password --proxy-password | credentials are -u USER:PASSWORD, --user-file FILE, or -n for ~/.netrc
--load-cookies | -b FILE sends the cookies of a file
--save-cookies --keep-session-cookies | -c FILE writes the cookies to a file
--no-cookies --no-cache | deref keeps cookies and responses only with -b, -c and --cache
--no-check-certificate | -k accepts any certificate, and --cacert FILE names the authority to trust
--ca-directory --ca-certificate | --cacert FILE trusts the authorities in FILE, which may hold many
--certificate --private-key | --cert FILE and --key FILE name the certificate and its key, both without a passphrase, as PEM
--secure-protocol | deref uses TLS 1.2 or later, and --tlsv1.3 requires 1.3
--https-only | --proto =https allows nothing else
--no-proxy | --noproxy '*' connects without a proxy
--max-redirect | --max-redirs N limits the redirects
--compression | --compressed requests compression
--no-passive-ftp | -P lets the server connect to this machine
--warc-file | --warc FILE.warc.gz writes an archive
-e --execute | --set KEY=VALUE changes a setting, -x PROXY names a proxy, and deref mirror --ignore-robots is robots=off
`

// earlierFlags lists flags of earlier versions of deref, in the same form.
const earlierFlags = `
--direct-udp | --noproxy HOST also sends datagrams to HOST directly
--as | --accept-type TYPE selects the media type
--all | --set mid.all=yes returns all messages with the ID
--thread | --set news.thread=yes lists the thread of an article
--no-pipeline | --set ftp.pipeline=no or news.pipeline=no waits for each reply
--sha256 | --checksum sha256:HEX verifies the document
--type | --set ftp.type=TYPE transfers by ftp as a, i or auto
--junit | deref check --report FILE.xml writes JUnit
--trace-format | --trace FILE writes text, which package fetch/dialogue reads; deref --replay plays what --record writes
`

// TreeFlags lists flags of wget for whole trees, in the same form. The hints are for deref mirror.
const TreeFlags = `
-r --recursive -m --mirror | links are followed without a flag, and --depth N limits the steps
-l --level | --depth N follows links at most N steps
-p --page-requisites | --requisites also copies what pages embed
-k --convert-links --backup-converted | links to copies are changed without a flag, the originals stay in DIR/.deref, and --keep-links changes none
-E --adjust-extension --html-extension | --adjust-extension adds the extension of the media type to names
-np --no-parent | --no-parent stays below the directory of the root
-H --span-hosts | --span-hosts follows links to other servers
-D --domains --exclude-domains | --span-hosts follows links to other servers, and --include and --exclude choose among them
-nH --no-host-directories -nd --no-directories -x --force-directories | DIR has the directories of the root's server, without its name, and those of others in DIR/elsewhere
--cut-dirs | --no-parent cuts the directories above the root, which trees of ftp and file never have
-A --accept --accept-regex | --include PATTERN copies only what matches: '*.txt', re:REGEXP
-R --reject --reject-regex | --exclude PATTERN skips what matches: '*.txt', re:REGEXP
-I --include-directories -X --exclude-directories | --include 'a/b/**' copies only what is below a/b, and --exclude a/b skips that
-N --timestamping -nc --no-clobber -c --continue | an existing copy is updated or continued without a flag
-P --directory-prefix -O --output-document | the second argument is the directory of the copies
-i --input-file | one root is copied at a time, so run deref mirror for each URI
--no-remove-listing --remove-listing --retr-symlinks --follow-ftp --relative --ignore-length | deref mirror does without it
`

// Entries yields the names and the hint of each line of a table.
func Entries(table string) iter.Seq2[string, string] {
	return func(yield func(names, hint string) bool) {
		for line := range strings.Lines(strings.TrimPrefix(table, "\n")) {
			names, hint, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " | ")
			if !yield(names, hint) {
				return
			}
		}
	}
}

// equivalent returns the hint for a flag of curl or wget that was used with the flags fs, or "". Short flags are one letter.
func equivalent(fs *pflag.FlagSet, name string) string {
	ofTree := hintIn(TreeFlags, name)
	if ofTree != "" && isTree(fs) {
		return ofTree
	}
	hint, ofWget := cmp.Or(hintIn(CurlFlags, name), hintIn(earlierFlags, name)), hintIn(WgetFlags, name)
	switch {
	case hint != "" && ofWget != "":
		return hint + "; for wget's flag, " + ofWget
	case hint != "" || ofWget != "" || ofTree == "":
		return hint + ofWget
	}
	return "deref mirror URI DIR copies trees (deref help mirrors): " + ofTree
}

// isTree reports whether fs are the flags of deref mirror.
func isTree(fs *pflag.FlagSet) bool { return fs.Name() == "deref mirror" }

func hintIn(table, name string) string {
	for names, hint := range Entries(table) {
		if slices.ContainsFunc(strings.Fields(names), func(n string) bool { return strings.TrimLeft(n, "-") == name }) {
			return hint
		}
	}
	return ""
}

// Foreign returns an error if an argument is a word of wget that consists of other flags here: -nv is not -n -v, nor is -qO- -q -O. It is called
// before the flags are set, because some of them read files.
func Foreign(fs *pflag.FlagSet, args []string) error {
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		needsValue := false
		switch arg := args[i]; {
		case strings.HasPrefix(arg, "--"):
			f := fs.Lookup(arg[2:])
			needsValue = f != nil && f.NoOptDefVal == ""
		case strings.HasPrefix(arg, "-"):
			var err error
			if needsValue, err = foreignLetters(fs, arg); err != nil {
				return err
			}
		}
		if needsValue {
			i++
		}
	}
	return nil
}

// foreignLetters examines an argument like -sSo, and reports whether the next one is the value of its last flag.
func foreignLetters(fs *pflag.FlagSet, arg string) (needsValue bool, err error) {
	var last *pflag.Flag
	for s := arg[1:]; s != ""; s = s[1:] {
		f := fs.ShorthandLookup(s[:1])
		rest := s[1:]
		switch {
		case s == "-" && last != nil:
			return false, &UsageError{shortest(last) + " has no value: " + arg, equivalent(fs, last.Shorthand)}
		case f == nil || strings.HasPrefix(rest, "="):
			return false, nil
		case f.NoOptDefVal == "":
			return rest == "", nil
		case f.Name == "netrc" && rest != "" && strings.Trim(rest, "vcdHp") == "": // what wget's -n may precede
			return false, &UsageError{arg + " is a flag of wget; -n, which is --netrc here, stands apart from -" + rest, equivalent(fs, "n"+rest[:1])}
		}
		last = f
	}
	return false, nil
}

// foreignValue returns an error if a value of -A or -e is that of wget's flag. A product of a User-Agent contains no such characters, except for
// the star (RFC 9110 section 10.1.5); comments and several products are not affected.
func foreignValue(flag, v string) error {
	name, _, isSetting := strings.Cut(v, "=")
	switch {
	case flag == "user-agent" && !strings.ContainsAny(v, " (") && (strings.ContainsAny(v, "*?[,") || strings.HasPrefix(v, ".")):
		return &UsageError{Text: strconv.Quote(v) + " is not the name of a program"}
	case flag == "referer" && isSetting && strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz_- ") == "":
		return &UsageError{Text: strconv.Quote(v) + " is not a URI"}
	}
	return nil
}

// swallowedFlag returns an error if the value of -r or -c is another flag: in wget, they have no values.
func swallowedFlag(fs *pflag.FlagSet) error {
	for _, name := range []string{"range", "cookie-jar"} {
		f := fs.Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		if v := f.Value.String(); len(v) > 1 && v[0] == '-' && (v[1] < '0' || v[1] > '9') {
			return &UsageError{shortest(f) + " needs a value: " + valueName(f) + ", not the flag " + v, equivalent(fs, f.Shorthand)}
		}
	}
	return nil
}

// Misread returns an error if a flag that has no value in wget has consumed one of the needed arguments, such as the URI, or the other way around.
func Misread(fs *pflag.FlagSet, needed int) (err error) {
	if err := swallowedFlag(fs); err != nil {
		return err
	}
	on := switchedOn(fs)
	if isTree(fs) && on["ftp-port"] && !hasScheme(fs.Arg(0)) {
		return &UsageError{"-P has no value; not a URI: " + fs.Arg(0), equivalent(fs, "P")}
	}
	if fs.NArg() >= needed || on["input"] || on["url"] || slices.ContainsFunc(fs.Args(), hasScheme) {
		return nil
	}
	fs.Visit(func(f *pflag.Flag) {
		if v := f.Value.String(); hasScheme(v) && err == nil {
			err = &UsageError{"no URI given; " + MaskLogin(v) + " is the value of " + shortest(f), equivalent(fs, f.Shorthand)}
		}
	})
	return err
}

func hasScheme(s string) bool { return strings.Contains(s, "://") }
