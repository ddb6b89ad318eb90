package mail

import (
	"slices"
	"strings"

	"example.org/deref/fetch"
)

// reports are what is to be told of the delivery: RFC 3461.
type reports struct {
	notify []string // of RCPT
	ret    string   // of MAIL
	envid  string
}

func reportsOf(o *fetch.Options) (r reports, err error) {
	for word := range strings.SplitSeq(strings.ToUpper(o.Get("mailto.notify")), ",") {
		if slices.Contains([]string{"NEVER", "SUCCESS", "FAILURE", "DELAY"}, word) {
			r.notify = append(r.notify, word)
		} else if word != "" {
			return r, fetch.BadSetting("mailto.notify", "mailto.notify is never, or some of success,failure,delay, not %q", o.Get("mailto.notify"))
		}
	}
	if len(r.notify) > 1 && slices.Contains(r.notify, "NEVER") {
		return r, fetch.BadSetting("mailto.notify", "mailto.notify: never stands alone (RFC 3461 section 4.1)")
	}
	switch o.Get("mailto.return") {
	case "full":
		r.ret = "FULL"
	case "headers":
		r.ret = "HDRS"
	}
	const most = 100 // RFC 3461 section 4.4
	if r.envid = o.Get("mailto.envid"); len(r.envid) > most || strings.IndexFunc(r.envid, func(c rune) bool { return c < ' ' || c > '~' }) >= 0 {
		return r, fetch.BadSetting("mailto.envid", "mailto.envid is at most %d characters of US-ASCII", most)
	}
	return r, nil
}

func (r reports) wanted() bool { return len(r.notify) > 0 || r.ret != "" || r.envid != "" }

// mailStep is the MAIL command; what the server's extensions want is added when they are known (SIZE, BODY, SMTPUTF8).
func (r reports) mailStep(from string) fetch.Step {
	return fetch.Step{Verb: "MAIL", Args: append([]string{"FROM:<" + from + ">"}, strings.Fields(r.ofMail())...)}
}

// ofMail is what MAIL says of it, with a blank before each word.
func (r reports) ofMail() (words string) {
	if r.ret != "" {
		words += " RET=" + r.ret
	}
	if r.envid != "" {
		words += " ENVID=" + xtext(r.envid)
	}
	return words
}

// rcptStep is the RCPT command of one recipient.
func (r reports) rcptStep(to string) fetch.Step {
	s := fetch.Step{Verb: "RCPT", Args: []string{"TO:<" + to + ">"}}
	if len(r.notify) > 0 {
		s.Args = append(s.Args, "NOTIFY="+strings.Join(r.notify, ","))
	}
	return s
}

// xtext is RFC 3461 section 4.
func xtext(s string) string {
	return strings.NewReplacer("+", "+2B", "=", "+3D", " ", "+20").Replace(s)
}
