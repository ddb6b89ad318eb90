//go:build amd64

package faults

import (
	"strings"

	"example.org/deref/fetch/browse"
)

// A scenario is a piece of work, each of whose calls fails once.
type scenario struct {
	name    string
	have    map[string]string // the files before, with their contents
	prepare []string          // command lines before, whose calls do not fail
	line    string            // the command line: words with blanks between them; $NAME is an address of servers
	stdin   string
	varies  []string // patterns of files whose contents differ each time
	made    []string // patterns of files that a run which fails may leave in another form
	checks  []string // command lines that succeed if the files that vary are whole
	status  int      // of success
	waits   bool     // for silence
	runs    int      // that the server needs until the document is complete, at most; 0 is one
	visit   string   // the path that a visitor requests from the server that the line starts; DIR is the directory
	keys    []string // that are typed in the browser
	files   bool     // only calls of files fail
	few     int      // one call in few fails, as each takes seconds
	paces   bool     // it waits for a disk or network that is gone
}

// The documents of the web server. large is stored while it arrives, small after it has arrived.
const (
	small = "a small document\n"
	older = "what was there before\n"
)

func large() string { return strings.Repeat("0123456789abcdef", 20<<10) }

func scenarios() []scenario {
	warc := []string{"*.warc", "*.warc.gz", "*.warc.zst", "*.cdxj", "*.wacz"}
	return []scenario{
		{name: "save", line: "-o x $WEB/small"},
		{name: "save over a file", have: map[string]string{"x": older}, line: "-o x $WEB/small"},
		{name: "save a long document", line: "-o x $WEB/large"},
		{name: "save a long document over a file", have: map[string]string{"x": older}, line: "-o x $WEB/large"},
		{name: "print", line: "$WEB/small"},
		{name: "the server's name", line: "-O $WEB/small"},
		{name: "into a directory", line: "--create-dirs -o a/b/x $WEB/small"},
		{name: "with its time", line: "-R -o x $WEB/small"},
		{name: "flushed", have: map[string]string{"x": older}, line: "--fsync -o x $WEB/small"},
		{name: "flushed, long", line: "--fsync -R -o x $WEB/large"},
		{name: "resume", have: map[string]string{"x": large()[:100_000]}, line: "-C - -o x $WEB/large"},
		{name: "begin what can be resumed", have: map[string]string{"x.part": ""}, line: "-C - -o x $WEB/large"},
		{name: "resume a part", prepare: []string{"-o x $WEB/cut"}, line: "-C - -o x $WEB/cut", runs: 2},
		{name: "verified", line: "--checksum sha-256:SUM -o x $WEB/small"},
		{name: "a list", have: map[string]string{"list": "$WEB/small\n$WEB/large\n$WEB/index.html\n"},
			line: "-O --input list --output-dir out --create-dirs --state state", varies: []string{"state*"}, paces: true},
		{name: "a list, again", have: map[string]string{"list": "$WEB/small\n$WEB/large\n$WEB/index.html\n"},
			prepare: []string{"-O --input list --output-dir out --create-dirs --state state"},
			line:    "-O --input list --output-dir out --create-dirs --state state", varies: []string{"state*"}, paces: true},
		{name: "mirror", line: "mirror -s $WEB/ m", made: []string{"m/*.html"}, varies: []string{"m/.deref"}, paces: true},
		{name: "mirror, again", prepare: []string{"mirror -s $WEB/ m"}, have: map[string]string{"m/gone": older}, line: "mirror -s --delete $WEB/ m", made: []string{"m/*.html"},
			varies: []string{"m/.deref"}, paces: true},
		{name: "mirror ftp", waits: true, line: "mirror -s $FTP/history/ m", made: []string{"m/*.html"}, varies: []string{"m/.deref"}, paces: true},
		{name: "archive", line: "--force --warc a.warc -o x $WEB/small", varies: warc, checks: []string{"warc check a.warc"}},
		{name: "archive, packed", line: "--force --warc a.warc.gz --cdx -o x $WEB/large", varies: warc, checks: []string{"warc check a.warc.gz"}},
		{name: "archive, zstd", line: "--force --warc a.warc.zst -o x $FTP/README.txt", varies: warc, checks: []string{"warc check a.warc.zst"}},
		{name: "archive that continues", have: map[string]string{"list": "$WEB/small\n$WEB/large\n"}, line: "--input list --state state --warc a.warc.gz",
			varies: append(warc, "state*"), paces: true,
			checks: []string{"warc check a.warc.gz", "--from-warc a.warc.gz --force -o z $WEB/small", "--from-warc a.warc.gz --force -o z $WEB/large"}},
		{name: "archive of what another has", prepare: []string{"--warc a.warc.gz --cdx -o x $WEB/small"},
			line: "--force --warc b.warc.gz --warc-dedup a.warc.gz -o x $WEB/small", varies: warc, checks: []string{"warc check b.warc.gz"}},
		{name: "archive, read", prepare: []string{"--warc a.warc.gz -o y $WEB/small"}, line: "--from-warc a.warc.gz -o x $WEB/small", varies: warc},
		{name: "warc merge", prepare: []string{"--warc a.warc.gz -o y $WEB/small", "--warc b.warc.gz -o y $WEB/large"},
			line: "warc merge -o c.warc.gz a.warc.gz b.warc.gz", varies: warc, checks: []string{"warc check c.warc.gz"}},
		{name: "warc pack", prepare: []string{"--warc a.warc.gz -o y $WEB/small"}, line: "warc pack -o c.wacz a.warc.gz", varies: warc, checks: []string{"warc check c.wacz"}},
		{name: "warc mend", prepare: []string{"--warc a.warc.gz -o y $WEB/small"}, line: "warc mend -o c.warc.gz a.warc.gz", varies: warc,
			checks: []string{"warc check c.warc.gz"}},
		{name: "warc index", prepare: []string{"--warc a.warc.gz -o y $WEB/small"}, line: "warc index -o c.cdxj a.warc.gz", varies: warc},
		{name: "cache", line: "--cache c -o x $WEB/small", varies: []string{"c"}},
		{name: "cache, again", prepare: []string{"--cache c -o x $WEB/small"}, line: "--cache c -o x $WEB/small", varies: []string{"c"}},
		{name: "cookies", have: map[string]string{"jar": ""}, line: "-b jar -c jar -o x $WEB/cookie", varies: []string{"jar"}},
		{name: "first use", line: "--tofu -o x $GEMINI/README.txt", varies: []string{".config"}},
		{name: "netrc", have: map[string]string{".netrc": "machine 127.0.0.1 login ann password " + secret + "\n"}, line: "-n -o x $WEB/login"},
		{name: "configuration", have: map[string]string{".config/deref/config.toml": "[flags]\nremote-time = true\n"}, line: "-o x $WEB/small"},
		{name: "check --fix", have: map[string]string{"page.html": "<a href=\"$WEB/moved\">x</a>\n"}, line: "check -s --retry 0 --fix --write page.html"},
		{name: "check", have: map[string]string{"page.html": "<a href=\"$WEB/small\">x</a>\n"}, line: "check -s --retry 0 --report r.json page.html",
			varies: []string{"r.json"}},
		{name: "watch", line: "watch --state state $WEB/small", varies: []string{"state*"}},
		{name: "bookmarks", have: map[string]string{"marks": "# An owl\r\ngopher://h/0/owl\r\n"}, line: "browse --bookmarks marks $WEB/small",
			keys: []string{"a", string(browse.Enter)}, files: true, varies: []string{".config"}},
		{name: "record", line: "--record talk -o x $WEB/small", varies: []string{"talk"}},
		{name: "replay", prepare: []string{"--record talk -o y $WEB/small"}, line: "--replay talk -o x $WEB/small", varies: []string{"talk"}},
		{name: "send", line: "send --smtp $SMTP_HOST --from ann@site.example --body - mailto:tim@site.example?subject=x", stdin: "text\n"},
		{name: "ftp", line: "-o x $FTP/README.txt"},
		{name: "gopher", line: "-o x $GOPHER/0/README.txt"},
		{name: "gemini", line: "-k -o x $GEMINI/README.txt"},
		{name: "spartan", line: "-o x $SPARTAN/images/bytes.bin"},
		{name: "nex", line: "-o x $NEX/images/bytes.bin"},
		{name: "news", line: "-o x $NEWS/lab.dots/1"},
		{name: "dict", line: "-o x $DICT/d:ftp:history:1"},
		{name: "finger", line: "-o x $FINGER/"},
		{name: "imap", line: "-u tim:secret -o x $IMAP/INBOX/;UID=2"},
		{name: "prospero", line: "-o x $PROSPERO/AFTP/images/bytes.bin"},
		{name: "whois", line: "-o x $WHOIS/history/00-names.txt"},
		{name: "ldap", line: "-o x $LDAP/cn=bytes.bin,ou=images,o=site?data???x-value"},
		{name: "wais", line: "-o x $WAIS/site/BIN/images%2Fbytes.bin"},
		{name: "cso", line: "-o x $CSO/alias=history%2Fgopher.txt%20return%20text"},
		{name: "telnet", line: "-o x $TELNET/", status: 13, waits: true},
		{name: "rlogin", line: "-o x $RLOGIN/", status: 13, waits: true},
		{name: "tn3270", line: "-o x $TN3270/", status: 13, waits: true},
		{name: "gateway", have: map[string]string{"y": small}, line: "gateway --log none --allow-scheme file --warc a.warc.gz 127.0.0.1:0",
			visit: "-/raw/file/DIR/y", files: true, varies: warc, checks: []string{"warc check a.warc.gz", "--from-warc a.warc.gz --force -o z file:y"}},
		{name: "derefd", have: map[string]string{"job.toml": "task = \"archive\"\nseeds = [\"$WEB/small\", \"$WEB/large\"]\nretries = 0\n"}, waits: true,
			line: "derefd run job.toml", files: true, few: 24, paces: true, varies: []string{"job.data"},
			checks: []string{"--from-warc job.data/warc --force -o z $WEB/small", "--from-warc job.data/warc --force -o z $WEB/large"}},
		{name: "file", have: map[string]string{"y": small}, line: "-o x file:y"},
	}
}

// secret is a password that no output may contain.
const secret = "s3cr3t-w0rd"
