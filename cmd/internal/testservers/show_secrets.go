package testservers

import (
	"bytes"
	"regexp"
	"strings"
)

// Patterns of credentials in what clients send to a server. A client may talk any protocol to any server, so most servers use all of them; those
// that receive messages of people only use their own, because a message may contain the same words.
type patterns struct {
	commands map[string]*regexp.Regexp // by scheme; "" for all others. Group 1 is shown
	fields   *regexp.Regexp            // of a header
	userinfo *regexp.Regexp            // of a URI
	cut      *regexp.Regexp            // the same at the end of a line that is not shown to its end
	values   *regexp.Regexp            // of a form or a query
	prompt   *regexp.Regexp            // of a terminal session
}

func newPatterns() *patterns {
	command := func(form string) *regexp.Regexp { return regexp.MustCompile(`(?is)^(` + form + `)[ \t].*`) }
	const imap, smtp, news = `\S+ +login|\S+ +authenticate +\S+`, `auth +\S+`, `authinfo +(?:pass|sasl +\S+|generic)`
	const others = `pass|acct|adat|clear|answer|sasl(?:auth +\S+|resp)|` + imap + `|` + smtp + `|` + news
	return &patterns{
		commands: map[string]*regexp.Regexp{"imap": command(imap + `|login|authenticate +\S+`), "smtp": command(smtp), "news": command(news), "": command(others)},
		fields:   regexp.MustCompile(`(?is)^((?:proxy-)?authorization|(?:set-)?cookie2?|x-api-key|x-auth-token)[ \t]*:.*`),
		userinfo: regexp.MustCompile(`(://[^/?#\s@:]*:)[^/?#\s]*@`),
		cut:      regexp.MustCompile(`(://[^/?#\s@:]*:)[^/?#\s]*$`),
		values:   regexp.MustCompile(`(?i)\b((?:pass(?:word|wd|phrase)?|pwd|token|secret|api_?key)=)[^&\s]+`),
		prompt:   regexp.MustCompile(`(?i)(?:pass ?(?:word|phrase|code)|passwort|\bpin\b|secret)[^\r\n]*$`),
	}
}

// A masker hides the credentials of one connection.
type masker struct {
	*patterns
	protocol string // the name of its scheme
	login    string // an exchange that the final reply ends: the tag of IMAP, the code of replies that continue it
	form     bool   // answers to the questions of Gopher+ follow, which may be passwords
	tail     []byte // of what a host has sent to a terminal, in its last line
	hidden   bool   // the user types a password
}

// masked returns a line without credentials. cut is set if it is only the beginning of one.
func (m *masker) masked(dir byte, line []byte, cut bool) []byte {
	text := strings.TrimRight(string(line), "\r\n")
	end := string(line[len(text):])
	if !m.follow(dir, text) {
		return []byte("***" + end)
	}
	if dir == 'C' {
		known := m.commands[m.protocol]
		if known == nil {
			known = m.commands[""]
		}
		if text = known.ReplaceAllString(text, "${1} ***"); cut {
			text = m.cut.ReplaceAllString(text, "${1}***")
		}
	}
	text = m.fields.ReplaceAllString(text, "${1}: ***")
	text = m.userinfo.ReplaceAllString(text, "${1}***@")
	text = m.values.ReplaceAllString(text, "${1}***")
	return []byte(text + end)
}

// follow notices the begin and the end of exchanges. It returns false for a line that is a credential.
func (m *masker) follow(dir byte, text string) bool {
	switch {
	case dir == 'S':
		m.reply(text)
		return true
	case m.login != "":
		return false
	case m.form:
		return strings.HasPrefix(text, "+") || text == "."
	}
	word := strings.Fields(strings.ToLower(text))
	switch has := func(i int, s string) bool { return i < len(word) && word[i] == s }; {
	case m.protocol == "imap" && (has(1, "authenticate") || has(1, "login") && strings.HasSuffix(text, "}")): // RFC 9051 sections 6.2.2, 6.2.3
		m.login = strings.Fields(text)[0] + " "
	case m.protocol == "smtp" && has(0, "auth"): // RFC 4954 section 4
		m.login = "334"
	case m.protocol == "news" && has(0, "authinfo") && has(1, "sasl"): // RFC 4643 section 2.4
		m.login = "383"
	case m.protocol == "gopher" && strings.HasSuffix(text, "\t1"): // a data block follows: Gopher+ section 2.6
		m.form = true
	}
	return true
}

// reply follows a line of the server.
func (m *masker) reply(text string) {
	switch {
	case m.protocol == "imap":
		if m.login != "" && strings.HasPrefix(text, m.login) {
			m.login = ""
		}
	case m.protocol == "smtp" && strings.HasPrefix(text, "334"), m.protocol == "news" && strings.HasPrefix(text, "383"):
		m.login = text[:3]
	default:
		m.login = ""
	}
}

// terminal returns what may be shown of p, which passes between a terminal and a host. After a prompt for a password it is "***", once, until
// the user has ended the line.
func (m *masker) terminal(dir byte, p []byte) []byte {
	if dir == 'S' {
		if m.hidden && m.tail == nil {
			return nil // an echo
		}
		if i := bytes.LastIndexByte(p, '\n'); i >= 0 {
			m.tail = m.tail[:0]
			m.tail = append(m.tail, p[i+1:]...)
		} else {
			m.tail = append(m.tail, p...)
		}
		m.tail = m.tail[max(0, len(m.tail)-maxPrompt):]
		m.hidden = m.prompt.Match(m.tail)
		return p
	}
	if !m.hidden {
		return p
	}
	shown := "***"
	if m.tail == nil {
		shown = ""
	}
	m.tail = nil
	if i := bytes.IndexAny(p, "\r\n"); i >= 0 {
		m.hidden = false
		return append([]byte(shown), p[i:]...)
	}
	return []byte(shown)
}

// maxPrompt is longer than the prompt of any host.
const maxPrompt = 200
