package mail

import (
	"slices"
	"strings"

	"example.org/deref/fetch"
)

// reports are the delivery status notifications that the user requests (RFC 3461).
type reports struct {
	notify []string // for RCPT
	ret    string   // for MAIL
	envid  string
}

func parseReports(o *fetch.Options) (r reports, err error) {
	for word := range strings.SplitSeq(strings.ToUpper(o.Get("mailto.notify")), ",") {
		if slices.Contains([]string{"NEVER", "SUCCESS", "FAILURE", "DELAY"}, word) {
			r.notify = append(r.notify, word)
		} else if word != "" {
			return r, fetch.BadSetting("mailto.notify", "mailto.notify is never, or some of success,failure,delay, not %q",
				o.Get("mailto.notify"))
		}
	}
	if len(r.notify) > 1 && slices.Contains(r.notify, "NEVER") {
		return r, fetch.BadSetting("mailto.notify", "mailto.notify: never excludes the others (RFC 3461 section 4.1)")
	}
	switch o.Get("mailto.return") {
	case "full":
		r.ret = "FULL"
	case "headers":
		r.ret = "HDRS"
	}
	const most = 100 // RFC 3461 section 4.4
	if r.envid = o.Get("mailto.envid"); len(r.envid) > most || !isPrintable(strings.ReplaceAll(r.envid, " ", "")) {
		return r, fetch.BadSetting("mailto.envid", "mailto.envid is at most %d printable characters of US-ASCII", most)
	}
	return r, nil
}

// requested reports whether the user requests any.
func (r reports) requested() bool { return len(r.notify) > 0 || r.ret != "" || r.envid != "" }

// mailStep returns the MAIL command without SIZE, BODY and SMTPUTF8, which depend on the server.
func (r reports) mailStep(from string) fetch.Step {
	return fetch.Step{Verb: "MAIL", Args: append([]string{"FROM:<" + from + ">"}, r.mailParams()...)}
}

// mailParams returns the parameters of MAIL.
func (r reports) mailParams() (words []string) {
	if r.ret != "" {
		words = append(words, "RET="+r.ret)
	}
	if r.envid != "" {
		words = append(words, "ENVID="+xtext(r.envid))
	}
	return words
}

// rcptStep returns the RCPT command for one recipient.
func (r reports) rcptStep(to string) fetch.Step {
	s := fetch.Step{Verb: "RCPT", Args: []string{"TO:<" + to + ">"}}
	if len(r.notify) > 0 {
		s.Args = append(s.Args, "NOTIFY="+strings.Join(r.notify, ","))
	}
	return s
}

// xtext encodes s as xtext (RFC 3461 section 4).
func xtext(s string) string {
	return strings.NewReplacer("+", "+2B", "=", "+3D", " ", "+20").Replace(s)
}
