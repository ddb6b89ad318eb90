package flags

import (
	"strings"

	"example.org/deref/fetch"
)

// Hint returns the hint of an error in words for users of the command line: libraries name fields of Go structs, users set flags. VALUE stands
// for the value after the name; a hint that is a sentence already is returned as it is.
func Hint(hint string) string {
	name, value, _ := strings.Cut(hint, " ")
	text, ok := hints()[name]
	if !ok {
		return hint
	}
	switch name {
	case fetch.HintSet:
		text = setting(value)
	case fetch.HintHost:
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
		fetch.HintAllow:        "--allow lets single networks through",
		fetch.HintAllowPorts:   "--allow-port VALUE lets it through",
		fetch.HintTrustDialer:  "the proxy resolves it, so no rule about addresses can be checked",
		fetch.HintAllowX:       "--allow-x follows it",
		fetch.HintFollowTo:     "--follow-to VALUE follows it",
		fetch.HintMaxReferrals: "--max-redirs N allows more",
		fetch.HintSchemes:      "`deref schemes` lists the schemes; --gateway VALUE=TEMPLATE reaches it by another",
		fetch.HintHost:         "a URI begins with its scheme: deref VALUE",
		fetch.HintTLS:          "--cacert FILE names the authority to trust",
		fetch.HintFirstUse:     "--tofu trusts it at its first use, --cacert FILE names the authority to trust",
		fetch.HintAttach:       "`deref session VALUE` attaches the terminal",
		fetch.HintSend:         "--mail SOURCE names one; `deref send` sends a message",
		fetch.HintIdle:         "--idle-timeout waits longer",
		fetch.HintBase:         "--base URI names what it is relative to; a complete URI begins with its scheme: http://HOST/PATH, file:NAME",
		fetch.HintSearch:       "--search WORDS supplies it",
		fetch.HintLogin:        "-u USER:PASSWORD or --netrc logs in",
		fetch.HintPassword:     "-u :PASSWORD or --netrc supplies it",
		fetch.HintPart:         "without --fragment the whole document is returned",
		fetch.HintSet:          "--set VALUE",
		fetch.HintDocument:     "-i prints what is known before the document",
		fetch.HintProxyLogin:   "-x http://USER:PASSWORD@HOST:PORT supplies it",
		fetch.HintBypass:       "--noproxy VALUE sends them directly, not through the proxy",
		fetch.HintForce:        "--force replaces it",
		fetch.HintCreateDirs:   "--create-dirs makes it",
		fetch.HintBinary:       "-o FILE saves it, -o - prints it anyway",
		fetch.HintReplace:      "--force replaces it",
		fetch.HintResume:       "it is an archive up to its last complete record: --state continues it, another name keeps it, --force replaces it",
		fetch.HintMailSources:  "--mail SOURCE names one: imap://user@host, maildir:DIR, mbox:FILE, mh:DIR",
		fetch.HintLetter:       "a message begins with its header and an empty line; --body FILE sends plain text, and --body - that of standard input",
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
