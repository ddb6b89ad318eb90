package http

import (
	"encoding/base64"
	"slices"
	"strings"

	"example.org/deref/fetch"
)

// Conditions of the steps that answer a challenge.
const (
	ifBasic  = "the server asks for Basic credentials"
	ifDigest = "the server asks for Digest credentials"
)

// Values of http.auth.
const (
	authBasic  = "basic"
	authDigest = "digest"
)

// authorize adds to the request the ways in which it can log in. Within TLS a password goes along at once, as Basic; in clear it waits
// for a challenge, for a Digest one needs no password on the wire, and the request is said again. The strongest challenge is answered.
func (h *handler) authorize(p *fetch.Plan, o *fetch.Options) error {
	if !isNamed(o.Login) || o.Get(setVersion) == "0.9" {
		return nil
	}
	if err := checkLogin(o.Login); err != nil {
		return err
	}
	way := o.Get(setAuth)
	if way != "" && way != authBasic && way != authDigest {
		return fetch.BadSetting(setAuth, "%s is basic or digest", setAuth)
	}
	atOnce := way == authBasic || way == "" && h.tls
	canBasic := way != authDigest && !strings.Contains(o.Login.User, ":") // RFC 7617 section 2
	lines := p.Steps
	switch {
	case canBasic && atOnce:
		p.Steps = append(lines[:len(lines):len(lines)], credentials(basicCredentials(o.Login), ""))
	case canBasic:
		p.Steps = append(anew(p.Steps, lines, ifBasic), credentials(basicCredentials(o.Login), ifBasic))
	}
	if way != authBasic {
		p.Steps = append(anew(p.Steps, lines, ifDigest), credentials("<answer to the challenge>", ifDigest))
	}
	return nil
}

// isNamed reports whether l is a login of somebody. That of "http://@host/" is empty and is not sent: the user names nobody.
func isNamed(l fetch.Login) bool { return l.Set && l.User+l.Password != "" }

// checkLogin refuses control characters, which neither Basic (RFC 7617 section 2) nor the quoted-string of a Digest username (RFC 9110
// section 5.6.4) can hold: CR and LF would begin another header field. The message does not repeat the login.
func checkLogin(l fetch.Login) error {
	control := func(s string) bool {
		return strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f })
	}
	switch {
	case control(l.User):
		return fetch.Errorf(fetch.ErrRefusedURL, "the user name holds a control character, which HTTP cannot send")
	case control(l.Password):
		return fetch.Errorf(fetch.ErrRefusedURL, "the password holds a control character, which HTTP cannot send")
	}
	return nil
}

func credentials(value, cond string) fetch.Step {
	return fetch.Step{Verb: "Authorization:", Args: []string{value}, If: cond, Secret: true}
}

// anew appends the lines of the request to steps once more, under a condition. Of the request lines for several versions one is left,
// with the version that was agreed on.
func anew(steps, lines []fetch.Step, cond string) []fetch.Step {
	steps = steps[:len(steps):len(steps)]
	for _, s := range lines {
		switch s.If {
		case ifH1:
			continue
		case ifH2:
			s.Args = []string{s.Args[0], anyVersion}
		}
		s.If = cond
		steps = append(steps, s)
	}
	return steps
}

// anyVersion stands in a request line for the version that the server chose.
const anyVersion = "<version>"

func basicCredentials(l fetch.Login) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(l.User+":"+l.Password))
}

// answer returns the lines that answer the challenges of a 401; none if there is none that may be answered, or if that was said before.
func (x *exchange) answer(said []fetch.Step) []fetch.Step {
	list := challenges(x.head.header["Www-Authenticate"])
	if lines := x.plan.When(ifDigest); len(lines) > 0 {
		if a := x.strongest(list, lines); a != nil {
			x.challenge = a
			return x.digested(a, lines)
		}
	}
	if slices.ContainsFunc(list, func(c challenge) bool { return c.scheme == "basic" }) && (len(said) == 0 || said[0].If != ifBasic) {
		return x.plan.When(ifBasic)
	}
	return nil
}

// strongest picks the Digest challenge with the strongest hash among those that are understood.
func (x *exchange) strongest(list []challenge, lines []fetch.Step) *answered {
	for _, hash := range [...]string{"sha-512-256", "sha-256", "md5"} {
		for _, c := range list {
			if c.scheme == "digest" && usesHash(c, hash) && digest(c, x.plan.Options.Login, lines[0].Verb, signed(lines), "", 1) != "" {
				return &answered{challenge: c}
			}
		}
	}
	return nil
}

// signed returns the target that an answer signs: path and query, which is what the server gets from a proxy that was sent an absolute
// URI (RFC 9112 section 3.2.2). curl and browsers sign the same.
func signed(lines []fetch.Step) string {
	target := lines[0].Args[0]
	if _, rest, ok := strings.Cut(target, "://"); ok && !strings.HasPrefix(target, "/") {
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			return rest[i:]
		}
	}
	return target
}

// isStale reports whether the server rejects only the nonce of the answer that was sent: RFC 7616 section 3.3.
func (x *exchange) isStale(said []fetch.Step) bool {
	return len(said) > 0 && said[0].If == ifDigest && slices.ContainsFunc(challenges(x.head.header["Www-Authenticate"]), func(c challenge) bool {
		return c.scheme == "digest" && strings.EqualFold(c.params["stale"], "true")
	})
}

// digested are the lines with the next answer to a challenge.
func (x *exchange) digested(a *answered, lines []fetch.Step) []fetch.Step {
	value := digest(a.challenge, x.plan.Options.Login, lines[0].Verb, signed(lines), newNonce(), a.count.Add(1))
	lines = slices.Clone(lines) // the Plan itself stays as it is
	lines[len(lines)-1].Args = []string{value}
	return lines
}

func usesHash(c challenge, hash string) bool {
	name := strings.TrimSuffix(strings.ToLower(c.params["algorithm"]), "-sess")
	return name == hash || name == "" && hash == "md5"
}
