package mail

import (
	"slices"
	"strings"

	"github.com/emersion/go-smtp"

	"example.org/deref/fetch"
)

// reports are what is to be told of the delivery: RFC 3461.
type reports struct {
	notify []smtp.DSNNotify
	ret    smtp.DSNReturn
	envid  string
}

func reportsOf(o *fetch.Options) (r reports, err error) {
	for word := range strings.SplitSeq(strings.ToUpper(o.Get("mailto.notify")), ",") {
		if n := smtp.DSNNotify(word); slices.Contains([]smtp.DSNNotify{smtp.DSNNotifyNever, smtp.DSNNotifySuccess, smtp.DSNNotifyFailure, smtp.DSNNotifyDelayed}, n) {
			r.notify = append(r.notify, n)
		} else if word != "" {
			return r, fetch.BadSetting("mailto.notify", "mailto.notify is never, or some of success,failure,delay, not %q", o.Get("mailto.notify"))
		}
	}
	if len(r.notify) > 1 && slices.Contains(r.notify, smtp.DSNNotifyNever) {
		return r, fetch.BadSetting("mailto.notify", "mailto.notify: never stands alone (RFC 3461 section 4.1)")
	}
	switch o.Get("mailto.return") {
	case "full":
		r.ret = smtp.DSNReturnFull
	case "headers":
		r.ret = smtp.DSNReturnHeaders
	}
	const most = 100 // RFC 3461 section 4.4
	if r.envid = o.Get("mailto.envid"); len(r.envid) > most || strings.IndexFunc(r.envid, func(c rune) bool { return c < ' ' || c > '~' }) >= 0 {
		return r, fetch.BadSetting("mailto.envid", "mailto.envid is at most %d characters of US-ASCII", most)
	}
	return r, nil
}

func (r reports) wanted() bool { return len(r.notify) > 0 || r.ret != "" || r.envid != "" }

// mailStep is the MAIL command; the library adds what the server's extensions want (SIZE, BODY, SMTPUTF8).
func (r reports) mailStep(from string) fetch.Step {
	s := fetch.Step{Verb: "MAIL", Args: []string{"FROM:<" + from + ">"}}
	if r.ret != "" {
		s.Args = append(s.Args, "RET="+string(r.ret))
	}
	if r.envid != "" {
		s.Args = append(s.Args, "ENVID="+xtext(r.envid))
	}
	return s
}

// rcptStep is the RCPT command of one recipient.
func (r reports) rcptStep(to string) fetch.Step {
	s := fetch.Step{Verb: "RCPT", Args: []string{"TO:<" + to + ">"}}
	if len(r.notify) > 0 {
		words := []string{}
		for _, n := range r.notify {
			words = append(words, string(n))
		}
		s.Args = append(s.Args, "NOTIFY="+strings.Join(words, ","))
	}
	return s
}

// xtext is RFC 3461 section 4.
func xtext(s string) string {
	return strings.NewReplacer("+", "+2B", "=", "+3D", " ", "+20").Replace(s)
}
