package mail

import (
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// caller is who opens a session: the host, how, and as whom.
type caller struct {
	env   *fetch.Env
	addr  string
	tls   fetch.TLSMode
	ssl   string // the setting
	steps []fetch.Step
	login fetch.Login

	options *fetch.Options
}

// step finds the step of a verb, which may have any condition.
func (c *caller) step(verb string) (fetch.Step, bool) {
	i := slices.IndexFunc(c.steps, func(s fetch.Step) bool { return s.Verb == verb })
	if i < 0 {
		return fetch.Step{}, false
	}
	return c.steps[i], true
}

// identity is the step that says who the user is.
func (c *caller) identity() (fetch.Step, bool) {
	i := slices.IndexFunc(c.steps, func(s fetch.Step) bool {
		return (s.Verb == "LOGIN" || s.Verb == "AUTHENTICATE") && (s.If == "" || (s.If == ifLogin) == c.login.Set)
	})
	if i < 0 {
		return fetch.Step{}, false
	}
	return c.steps[i], true
}

// say announces a step, which the library says; uids stand in for what the search found.
func (c *caller) say(verb, uids string) error {
	step, ok := c.step(verb)
	if !ok {
		return nil
	}
	if uids != "" && len(step.Args) > 0 && step.Args[0] == "<uids>" {
		step.Args = append([]string{uids}, step.Args[1:]...)
	}
	return c.env.Announce(step)
}

// sayBody announces that the text of a message is fetched.
func (c *caller) sayBody(uid uint32) error {
	for _, step := range c.steps {
		if step.Verb == "UID FETCH" && step.Args[0] == "<uid>" {
			step.Args = []string{strconv.FormatUint(uint64(uid), 10), step.Args[1]}
			if err := c.env.Announce(step); err != nil {
				return err
			}
		}
	}
	return nil
}

func numbers(uids []uint32) string {
	const most = 50
	words := []string{}
	for _, n := range uids[:min(len(uids), most)] {
		words = append(words, strconv.FormatUint(uint64(n), 10))
	}
	if len(uids) > most {
		words = append(words, "...")
	}
	return strings.Join(words, ",")
}
