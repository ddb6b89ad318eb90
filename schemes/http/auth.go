package http

import (
	"encoding/base64"
	"strings"

	"example.org/deref/fetch"
)

// Conditions of the steps that answer a challenge.
const (
	ifBasic  = "the server asks for Basic credentials"
	ifDigest = "the server asks for Digest credentials"
	again    = "until the server's challenge is answered"
)

// Values of http.auth.
const (
	authBasic  = "basic"
	authDigest = "digest"
)

// authorize adds to the request the ways in which it can log in. Within TLS a password goes along at once, as Basic; in clear it waits
// for a challenge, for a Digest one needs no password on the wire, and the request is said again. The strongest challenge is answered.
func (h *handler) authorize(p *fetch.Plan, o *fetch.Options) error {
	if !o.Login.Set || o.Get(setVersion) == "0.9" {
		return nil
	}
	way := o.Get(setAuth)
	if way != "" && way != authBasic && way != authDigest {
		return fetch.Errorf(fetch.ErrUnsupported, "%s is basic or digest", setAuth)
	}
	basic := fetch.Step{Verb: "Authorization:", Args: []string{basicCredentials(o.Login)}, Secret: true}
	atOnce := way == authBasic || way == "" && h.tls
	canBasic := way != authDigest && !strings.Contains(o.Login.User, ":") // RFC 7617 section 2
	for i := range p.Steps {
		p.Steps[i].Repeat = again
	}
	switch {
	case canBasic && atOnce:
		p.Steps = append(p.Steps, basic)
	case canBasic:
		basic.If = ifBasic
		p.Steps = append(p.Steps, basic)
	}
	if way != authBasic {
		p.Steps = append(p.Steps, fetch.Step{Verb: "Authorization:", Args: []string{"<answer to the challenge>"}, If: ifDigest, Secret: true})
	}
	return nil
}

func basicCredentials(l fetch.Login) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(l.User+":"+l.Password))
}

// answer is the step that answers the challenges of a 401, if there is one that it may answer.
func (x *exchange) answer() (fetch.Step, bool) {
	list := challenges(x.head.header["Www-Authenticate"])
	if steps := x.plan.When(ifDigest); len(steps) > 0 {
		first := x.plan.Steps[0]
		for _, hash := range [...]string{"sha-512-256", "sha-256", "md5"} {
			for _, c := range list {
				if c.scheme != "digest" || !usesHash(c, hash) {
					continue
				}
				if value := digest(c, x.plan.Options.Login, first.Verb, first.Args[0], newNonce()); value != "" {
					x.env.Hide(value)
					s := steps[0] // the Plan itself stays as it is
					s.Args = []string{value}
					return s, true
				}
			}
		}
	}
	if steps := x.plan.When(ifBasic); len(steps) > 0 {
		for _, c := range list {
			if c.scheme == "basic" {
				return steps[0], true
			}
		}
	}
	return fetch.Step{}, false
}

func usesHash(c challenge, hash string) bool {
	name := strings.TrimSuffix(strings.ToLower(c.params["algorithm"]), "-sess")
	return name == hash || name == "" && hash == "md5"
}
