package flags

import (
	"strings"

	"example.org/deref/fetch/hint"
)

// Hint returns the hint of an error in words for users of the command line: libraries name fields of Go structs, users set flags. VALUE stands
// for the value after the name; a hint that is a sentence already is returned as it is.
func Hint(advice string) string {
	name, value, _ := strings.Cut(advice, " ")
	text, ok := hints()[name]
	if !ok {
		return advice
	}
	switch name {
	case hint.Set:
		text = setting(value)
	case hint.Host:
		value = Quoted(value)
	}
	return strings.ReplaceAll(text, "VALUE", value)
}

// Quoted returns a word as a shell reads it.
func Quoted(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/@%+=,*") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func hints() map[string]string {
	return map[string]string{
		hint.Allow:        "--allow lets single networks through",
		hint.AllowPorts:   "--allow-port VALUE lets it through",
		hint.TrustDialer:  "the proxy resolves it, so no rule about addresses can be checked",
		hint.AllowX:       "--allow-x follows it",
		hint.FollowTo:     "--follow-to VALUE follows it",
		hint.MaxReferrals: "--max-redirs N allows more",
		hint.Schemes:      "`deref schemes` lists the schemes; --gateway VALUE=TEMPLATE reaches it by another",
		hint.Host:         "a URI begins with its scheme: deref VALUE",
		hint.TLS:          "--cacert FILE names the authority to trust",
		hint.FirstUse:     "--tofu trusts it at its first use, --cacert FILE names the authority to trust",
		hint.Attach:       "`deref session VALUE` attaches the terminal",
		hint.Send:         "--mail SOURCE names one; `deref send` sends a message",
		hint.Idle:         "--idle-timeout waits longer",
		hint.Base:         "--base URI names what it is relative to; a complete URI begins with its scheme: http://HOST/PATH, file:NAME",
		hint.Search:       "--search WORDS supplies it",
		hint.Login:        "-u USER:PASSWORD or --netrc logs in",
		hint.Password:     "-u :PASSWORD or --netrc supplies it",
		hint.Part:         "without --fragment the whole document is returned",
		hint.Set:          "--set VALUE",
		hint.Range:        "-r A-B retrieves those bytes",
		hint.Document:     "-i prints what is known before the document",
		hint.ProxyLogin:   "-x http://USER:PASSWORD@HOST:PORT supplies it",
		hint.Bypass:       "--noproxy VALUE sends them directly, not through the proxy",
		hint.Force:        "--force replaces it",
		hint.CreateDirs:   "--create-dirs makes it",
		hint.Binary:       "-o FILE saves it, -o - prints it anyway",
		hint.Replace:      "--force replaces it",
		hint.Resume:       "it is an archive up to its last complete record: --state continues it, another name keeps it, --force replaces it",
		hint.MailSources:  "--mail SOURCE names one: imap://user@host, maildir:DIR, mbox:FILE, mh:DIR",
		hint.Letter:       "a message begins with its header and an empty line; --body FILE sends plain text, and --body - that of standard input",
	}
}

// setting words a setting by the flag that has it.
func setting(value string) string {
	key, v, _ := strings.Cut(value, "=")
	switch _, name, _ := strings.Cut(key, "."); {
	case name == "ssl":
		return "--ssl-reqd demands TLS"
	case name == "cert":
		return "--cert FILE presents one"
	case name == "from":
		return "--from ADDRESS supplies it"
	case key == "http.compressed":
		return "without --compressed the document is not decoded"
	case key == "http.version" && v == "2":
		return "--http2 offers HTTP/2, too"
	case key == "http.version":
		return "without --http2 the version is HTTP/1.1"
	case key == "http.header", key == "http.credential-header":
		return "-H '" + v + "' sends it"
	case key == "urn.naptr":
		return "a urn table in the configuration, --gateway urn=TEMPLATE, or --set VALUE may find it"
	case key == "ftp.active":
		return "-P lets the server connect to this machine"
	}
	return "--set VALUE"
}
