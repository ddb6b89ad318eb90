package gateway

import (
	"strings"
	"sync"

	"example.org/deref/fetch"
)

// Bounds of the openings that are kept.
const (
	maxOpenings = 256 // twice the connections that a Client keeps
	maxOpening  = 4 << 10
)

// openings keeps the beginnings of the conversations in which connections were opened, by the Client's number of the connection. Pages about
// later requests on the same connection show them.
type openings struct {
	mu   sync.Mutex
	said map[int][]said
}

// keep keeps the beginning of a conversation that has opened a connection.
func (o *openings) keep(c *transcript) {
	conn, fresh := c.connection()
	if !fresh {
		return
	}
	list, _ := c.said()
	size, own := 0, list[:0]
	for _, s := range list {
		if size += len(s.text); size > maxOpening {
			break
		}
		if s.who == "C" || s.who == "S" || strings.HasPrefix(s.text, "*: [") { // not another connection, or a remark about the request
			own = append(own, s)
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.said) >= maxOpenings || o.said == nil {
		o.said = map[int][]said{}
	}
	o.said[conn] = own
}

// before returns how the connection of c was opened for an earlier request. It returns nil if c has opened it, or if that was not seen.
//
// Another user may have made that request, so only commands of the plan, which this user's request would have sent itself, are returned with
// their replies: those before the first command of the earlier request alone, or of a command that was sent again now.
func (o *openings) before(c *transcript, plan *fetch.Plan, now []said) (list []said) {
	conn, fresh := c.connection()
	if fresh || plan == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	waiting, over := 0, false // commands without a reply; the rest is not shown
	for _, s := range o.said[conn] {
		switch {
		case over && (s.who != "S" || waiting == 0 || !s.final):
			return list
		case s.who == "C":
			shared := ""
			for line := range strings.Lines(s.text) {
				if over = !isSetup(line, plan) || isSaid(line, now); over {
					break
				}
				shared += line
				waiting++
			}
			if s.text = shared; shared != "" {
				list = append(list, s)
			}
			continue
		case over:
			waiting--
		case s.who == "S":
			waiting = max(0, waiting-1)
		}
		list = append(list, s)
	}
	return list
}

// command returns the command in a line of the client, without the tag of IMAP, which has letters and then digits.
func command(line string) string {
	line = strings.TrimRight(strings.TrimPrefix(line, "C: "), "\r\n")
	tag, rest, ok := strings.Cut(line, " ")
	if number := strings.TrimLeft(tag, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"); ok && number != tag && number != "" && strings.Trim(number, "0123456789") == "" {
		return rest
	}
	return line
}

// isSetup reports whether a line of the client is a step of the plan. The line and the step have no secrets.
func isSetup(line string, plan *fetch.Plan) bool {
	line = command(line)
	for _, s := range plan.Steps {
		if line == s.Line() || s.Secret && strings.HasPrefix(line, s.Verb+" ") || s.Verb == "bind" && strings.HasPrefix(line, "bindRequest ") {
			return true
		}
	}
	return false
}

// isSaid reports whether the client has sent a line in a conversation.
func isSaid(line string, list []said) bool {
	for _, s := range list {
		for other := range strings.Lines(s.text) {
			if s.who == "C" && command(other) == command(line) {
				return true
			}
		}
	}
	return false
}
