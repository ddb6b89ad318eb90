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

// authorize adds the credentials to the request. Within TLS, Basic credentials are sent at once. Without TLS they wait for a challenge,
// because a Digest challenge needs no password on the wire, and the request is repeated. The strongest challenge is answered.
func (r *request) authorize(p *fetch.Plan, o *fetch.Options) error {
	if err := checkLogin(o.Login); err != nil {
		return err
	}
	only := o.Get(setAuth)
	atOnce := only == authBasic || only == "" && r.tls
	canBasic := only != authDigest && !strings.Contains(o.Login.User, ":") // RFC 7617 section 2
	lines := p.Steps
	switch {
	case canBasic && atOnce:
		p.Steps = append(lines[:len(lines):len(lines)], credentials(basicCredentials(o.Login), ""))
	case canBasic:
		p.Steps = append(repeat(p.Steps, lines, ifBasic), credentials(basicCredentials(o.Login), ifBasic))
	}
	if only != authBasic {
		p.Steps = append(repeat(p.Steps, lines, ifDigest), credentials("<answer to the challenge>", ifDigest))
	}
	return nil
}

// isNamed reports whether l identifies a user. The login of "http://@host/" is empty and is not sent.
func isNamed(l fetch.Login) bool { return l.Set && l.User+l.Password != "" }

// checkLogin refuses control characters. Neither Basic (RFC 7617 section 2) nor the quoted-string of a Digest username (RFC 9110 section
// 5.6.4) can contain them, and CR and LF would begin another header field. The message does not repeat the login.
func checkLogin(l fetch.Login) error {
	control := func(s string) bool {
		return strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f })
	}
	switch {
	case control(l.User):
		return fetch.Errorf(fetch.ErrRefusedURL, "the user name contains a control character, which HTTP cannot send")
	case control(l.Password):
		return fetch.Errorf(fetch.ErrRefusedURL, "the password contains a control character, which HTTP cannot send")
	}
	return nil
}

func credentials(value, cond string) fetch.Step {
	return fetch.Step{Verb: "Authorization:", Args: []string{value}, If: cond, Secret: true}
}

// repeat appends the lines of the request to steps under a condition. It merges the request lines for several versions into one, with a
// placeholder for the negotiated version.
func repeat(steps, lines []fetch.Step, cond string) []fetch.Step {
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

// anyVersion is the placeholder for the negotiated version in a request line.
const anyVersion = "<version>"

func basicCredentials(l fetch.Login) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(l.User+":"+l.Password))
}

// authenticated returns the lines that answer the challenges of a 401. It returns nil if it cannot answer any, or if the lines already sent
// had the same credentials.
func (x *exchange) authenticated(sent []fetch.Step) []fetch.Step {
	list := challenges(x.head.header["Www-Authenticate"])
	if lines := x.plan.When(ifDigest); len(lines) > 0 {
		if d := strongest(list); d != nil {
			x.digest = d
			return x.withDigest(d, lines)
		}
	}
	isBasic := func(c challenge) bool { return c.scheme == "basic" }
	if slices.ContainsFunc(list, isBasic) && (len(sent) == 0 || sent[0].If != ifBasic) {
		return x.plan.When(ifBasic)
	}
	return nil
}

// strongest picks the supported Digest challenge with the strongest hash. It returns nil if there is none.
func strongest(list []challenge) *digestSession {
	for _, hash := range [...]string{"sha-512-256", "sha-256", "md5"} {
		for _, c := range list {
			if c.scheme == "digest" && usesHash(c, hash) && digest(c, fetch.Login{}, "", "", "", 1) != "" {
				return &digestSession{challenge: c}
			}
		}
	}
	return nil
}

// digestURI returns the request target that a Digest covers: path and query, which the server gets even if a proxy was sent an absolute URI
// (RFC 9112 section 3.2.2). curl and browsers do the same.
func digestURI(lines []fetch.Step) string {
	target := lines[0].Args[0]
	if _, rest, ok := strings.Cut(target, "://"); ok && !strings.HasPrefix(target, "/") {
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			return rest[i:]
		}
	}
	return target
}

// isStale reports whether the server rejects only the nonce of the credentials sent: RFC 7616 section 3.3.
func (x *exchange) isStale(sent []fetch.Step) bool {
	return len(sent) > 0 && sent[0].If == ifDigest && slices.ContainsFunc(challenges(x.head.header["Www-Authenticate"]), func(c challenge) bool {
		return c.scheme == "digest" && strings.EqualFold(c.params["stale"], "true")
	})
}

// withDigest returns the lines with the next answer to the challenge of d.
func (x *exchange) withDigest(d *digestSession, lines []fetch.Step) []fetch.Step {
	value := digest(d.challenge, x.plan.Options.Login, lines[0].Verb, digestURI(lines), newNonce(), d.count.Add(1))
	lines = slices.Clone(lines) // the Plan must not change
	lines[len(lines)-1].Args = []string{value}
	return lines
}

func usesHash(c challenge, hash string) bool {
	name := strings.TrimSuffix(strings.ToLower(c.params["algorithm"]), "-sess")
	return name == hash || name == "" && hash == "md5"
}
