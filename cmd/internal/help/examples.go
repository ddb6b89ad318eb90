package help

import (
	"fmt"
	"strings"
)

// An Example is a command line and what it does.
type Example struct{ Line, What string }

// First are the examples of `deref help`.
func First() []Example {
	return []Example{
		{"deref -o page.html https://www.example.org/", "save a document"},
		{"deref -C - -O ftp://ftp.example/pub/big.iso", "continue a download"},
		{"deref --links gopher://gopher.example/", "list the links of a menu"},
		{"deref --search 'wide area' wais://wais.example/db", "search"},
		{"deref -v -I https://www.example.org/", "show the conversation"},
		{"deref mirror gemini://gemini.example/ copy", "copy what is below a URI"},
	}
}

// Examples returns those of a command's manual page.
func Examples(command string) []Example {
	if command == "" {
		return First()
	}
	return map[string][]Example{
		"explain": {{"deref explain ftp://ftp.example/a%20b.txt", "print the commands that would be sent"}},
		"locate":  {{"deref locate urn:ietf:rfc:2648", "print where a name refers to"}},
		"schemes": {{"deref schemes --json", "list the schemes for a program"}},
		"send":    {{"deref send --dry-run --from ann@site.example 'mailto:tim@site.example?subject=hi&body=text'", "print a message without sending it"}},
		"session": {{"deref session telnet://library.example/", "attach the terminal"}, {"deref session --script login.txt tn3270://host.example/", "run a script"}},
		"uri":     {{"deref uri resolve http://h/a/b ../c", "make a reference absolute"}, {"deref uri escape 'a b/c'", "escape a segment of a path"}},
		"check":   {{"deref check --json notes.md https://www.example.org/", "test all links of two documents"}},
		"watch":   {{"deref watch --every 1h --diff https://www.example.org/", "print what changes in a document"}},
		"browse":  {{"deref browse", "choose among bookmarks and places"}, {"deref browse gopher://gopher.example/", "read menus and documents on the terminal"}},
		"lint":    {{"deref lint gopher://127.0.0.1:7070/", "test a server on this machine"}},
		"mirror":  {{"deref mirror --exclude '*.iso' ftp://ftp.example/pub/ copy", "copy a tree, or update the copy"}, {"deref mirror --dry-run --delete gopher://gopher.example/ hole", "see what would be removed"}},
		"warc": {{"deref warc ls site.warc.gz", "list the records"}, {"deref warc cat site.warc.gz https://www.example.org/", "print its records"},
			{"deref warc extract -o page.html site.wacz https://www.example.org/", "save the document of a record"},
			{"deref warc filter --scheme gopher --since 2026 -o menus.warc.gz site-*.warc.gz", "copy some captures"},
			{"deref warc from-mirror copy -o copy.warc.gz", "archive the documents of a mirror"},
			{"deref warc mend -o whole.warc.gz cut.warc.gz", "copy the complete records"}},
		"serve":      {{"deref serve --port-base 9000 public", "serve a directory by every protocol"}, {"deref serve -v --only ftp", "show what FTP clients send"}},
		"gateway":    {{"deref gateway 127.0.0.1:8070", "show every scheme to a browser"}},
		"demo":       {{"deref demo", "get a document by each scheme"}},
		"completion": {{"deref completion bash > ~/.local/share/bash-completion/completions/deref", "install the completion for bash"}},
		"help":       {{"deref help --retry", "explain a flag"}, {"deref help gopher", "explain a scheme"}},
		"version":    {{"deref version", "print the version"}},
	}[command]
}

// Lines returns examples as text.
func Lines(list []Example) string {
	var b strings.Builder
	for _, e := range list {
		fmt.Fprintf(&b, "  %-52s %s\n", e.Line, e.What)
	}
	return b.String()
}

// ManEnd returns the last sections of a manual page in the language of man(7): examples, environment, files and exit status. requests reports
// whether the command makes requests.
func ManEnd(command string, requests bool) string {
	var b strings.Builder
	b.WriteString(".SH EXAMPLES\n")
	for _, e := range Examples(command) {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", Roff(e.Line), Roff(e.What))
	}
	variables, files, statuses := local, noFiles, simple
	if requests || command == "" {
		variables, files, statuses = network, networkFiles, all
	}
	for _, section := range []struct{ title, rows string }{{"ENVIRONMENT", variables}, {"FILES", files}, {"EXIT STATUS", statuses}} {
		fmt.Fprintf(&b, ".SH %s\n", section.title)
		for row := range strings.Lines(section.rows) {
			name, text, ok := strings.Cut(strings.TrimSpace(row), " | ")
			if !ok {
				b.WriteString(Roff(name) + "\n")
				continue
			}
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", Roff(name), Roff(text))
		}
	}
	return b.String()
}

// The rows of these sections: a name and what it means, or a sentence.
const (
	local   = "NO_COLOR, TERM | no colors if NO_COLOR is set or TERM is dumb\n"
	noFiles = "The command reads and writes only the files that are named on its command line.\n"
	simple  = "0 | success\n1 | any other error, or the answer \"no\"\n2 | the command line is wrong\n14 | an error of a file on this machine\n" +
		"deref help exit-codes lists all.\n"
	network = `DEREF_CONFIG | the configuration file; an empty value means none
XDG_CONFIG_HOME, HOME | where the files below are
http_proxy, https_proxy, all_proxy, SCHEME_proxy | proxies, also in capitals, except HTTP_PROXY
no_proxy, NO_PROXY | hosts that are contacted without a proxy
WWW_SCHEME_GATEWAY | the gateway for a scheme
NNTPSERVER | the news host
PATH | where programs for other schemes are (deref help programs)
TMPDIR | the directory of temporary files
NO_COLOR, TERM | no colors if NO_COLOR is set or TERM is dumb
`
	networkFiles = `$XDG_CONFIG_HOME/deref/config.toml | the configuration (deref help config)
$XDG_CONFIG_HOME/deref/known-hosts | the certificates that --tofu has trusted
~/.netrc | credentials for -n
NAME.part | the beginning of a document that -C - continues
`
	all = `0 | the whole document
2 | the command line is wrong
3, 4 | deref refused the request, or has no handler
5 | the server could not be reached
6, 7 | the server refused the request, or has no such object
8, 9, 10, 11 | the response was wrong, incomplete, too long, or not the requested part
12 | timeout
13 | a session: use deref session
14 | an error of a file or device on this machine
15 | the server refuses temporarily
129, 130, 143 | interrupted by SIGHUP, by SIGINT (Ctrl-C), by SIGTERM
1 | any other error
`
)
