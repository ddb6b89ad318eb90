package newstest

import (
	"crypto/tls"
	"encoding/base64"
	"strings"
)

// loginLines returns the capabilities that depend on the login and on TLS.
func (x *session) loginLines() []string {
	var lines []string
	if x.tls != nil && !x.secure() {
		lines = append(lines, "STARTTLS")
	}
	if len(x.o.Users) > 0 && x.user == "" {
		switch {
		case x.o.RequireTLS && !x.secure():
			lines = append(lines, "AUTHINFO")
		case x.o.NoUser:
			lines = append(lines, "AUTHINFO SASL", "SASL PLAIN")
		default:
			lines = append(lines, "AUTHINFO USER SASL", "SASL PLAIN")
		}
	}
	return lines
}

func (x *session) secure() bool {
	_, ok := x.c.(*tls.Conn)
	return ok
}

// mayLogIn reports whether a login is allowed now. It sends the reply if it is not.
func (x *session) mayLogIn() bool {
	switch {
	case x.user != "":
		x.reply(502, "Already logged in")
	case x.o.RequireTLS && !x.secure():
		x.reply(483, "Not in clear")
	default:
		return true
	}
	return false
}

// cmdUSER begins a login (RFC 4643 section 2.3).
func (x *session) cmdUSER(args []string) {
	if !x.mayLogIn() {
		return
	}
	if x.o.NoUser {
		x.reply(502, "Not this way")
		return
	}
	if len(args) != 1 {
		x.reply(501, "AUTHINFO USER takes a name")
		return
	}
	x.trying = args[0]
	x.reply(381, "Password required")
}

func (x *session) cmdPASS(args []string) {
	if !x.mayLogIn() {
		return
	}
	if x.trying == "" {
		x.reply(482, "Say AUTHINFO USER first")
		return
	}
	x.check(x.trying, strings.Join(args, " "))
}

// cmdSASL implements PLAIN, with an initial response or after an empty challenge (RFC 4643 section 2.4, RFC 4616).
func (x *session) cmdSASL(args []string) {
	if !x.mayLogIn() {
		return
	}
	if len(args) == 0 || len(args) > 2 || !strings.EqualFold(args[0], "PLAIN") {
		x.reply(503, "Only PLAIN is known")
		return
	}
	if len(args) == 1 {
		x.reply(383, "=")
		line, err := "", x.flush()
		if err == nil {
			line, err = x.readLine()
		}
		if err != nil {
			x.done = true
			return
		}
		args = append(args, line)
	}
	if args[1] == "*" {
		x.reply(481, "Cancelled")
		return
	}
	b, err := base64.StdEncoding.DecodeString(args[1])
	f := strings.Split(string(b), "\x00")
	if err != nil || len(f) != 3 {
		x.reply(482, "Not a response of PLAIN")
		return
	}
	x.check(f[1], f[2])
}

func (x *session) check(user, password string) {
	x.trying = ""
	if want, ok := x.o.Users[user]; !ok || want != password {
		x.reply(481, "Login incorrect")
		return
	}
	x.user = user
	x.reply(281, "Welcome")
}

func (x *session) startTLS() bool {
	c := x.Net.AcceptTLS(x.c, x.tls)
	if c == nil {
		x.done = true
		return false
	}
	x.c = c
	x.streams()
	return true
}

// cmdSTARTTLS starts TLS (RFC 4642). It discards bytes after the command, and the state of the session.
func (x *session) cmdSTARTTLS([]string) {
	switch {
	case x.secure():
		x.reply(502, "TLS is in use already")
	default:
		x.reply(382, "Go ahead")
		x.flush()
		if !x.done && x.startTLS() {
			x.user, x.trying, x.group, x.at = "", "", nil, 0
		}
	}
}
