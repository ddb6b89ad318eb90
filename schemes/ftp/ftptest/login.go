package ftptest

import (
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
)

// cmdUSER begins a login (RFC 959 §4.1.1).
func (x *session) cmdUSER(name string) {
	x.user, x.in, x.account = name, false, ""
	switch {
	case x.o.RequireTLS && !x.secure():
		x.reply(530, "Please send AUTH TLS first")
	case name == "":
		x.reply(501, "USER needs a name")
	case x.anonymous() && x.o.QuickLogin:
		x.welcome("/")
	case x.anonymous():
		x.reply(331, "Any password will do; your address is the custom")
	default:
		x.reply(331, "Password required for "+loopback.Printable(name))
	}
}

// anonymous reports whether the user is anonymous.
func (x *session) anonymous() bool {
	if _, known := x.o.Users[x.user]; known || x.o.NoAnonymous {
		return false
	}
	return strings.EqualFold(x.user, "anonymous") || strings.EqualFold(x.user, "ftp")
}

func (x *session) cmdPASS(password string) {
	u, known := x.o.Users[x.user]
	switch {
	case x.user == "":
		x.reply(503, "Send USER first")
	case x.anonymous():
		x.welcome("/")
	case !known || u.Password != password:
		x.user = ""
		x.reply(530, "Login incorrect")
	case u.Account != "":
		x.account = u.Account
		x.reply(332, "Account required")
	default:
		x.welcome(u.Home)
	}
}

func (x *session) cmdACCT(account string) {
	switch {
	case x.in:
		x.reply(202, "No account needed")
	case x.account == "":
		x.reply(503, "Send USER and PASS first")
	case x.account != account:
		x.user, x.account = "", ""
		x.reply(530, "Login incorrect")
	default:
		x.welcome(x.o.Users[x.user].Home)
	}
}

func (x *session) welcome(home string) {
	x.in, x.cwd = true, join("/", home)
	x.reply(230, "Logged in")
}

// cmdREIN ends the login and keeps the connection with its TLS.
func (x *session) cmdREIN(string) {
	x.data.reset(x)
	x.user, x.account, x.in, x.cwd, x.ascii, x.rest = "", "", false, "/", true, 0
	x.reply(220, "Ready for a new user")
}

func (x *session) cmdQUIT(string) {
	x.reply(221, "Goodbye")
	x.done = true
}
