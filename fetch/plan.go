package fetch

import (
	"context"
	"encoding/json"
	"io"

	"example.org/deref/uri"
)

// A Plan is the command sequence that dereferences one URI, as data: what is sent, to which server, and under which conditions. It is made
// without any I/O and carried out by its functions, which send no other command.
type Plan struct {
	URI     uri.URI  // absolute, without fragment and password
	Options *Options // never nil; not part of the JSON
	Network string   // "tcp", "udp", "exec", or "" when nothing is contacted
	Addr    string   // host:port that is contacted first, with the default port, without proxies
	TLS     TLSMode
	Shape   Shape
	Type    string // the media type, if the URI determines it
	Steps   []Step
	Refers  []Referral // known without a request: then Steps is empty, and Run is not called

	// Nested are the Plans of the Steps that have a Get, in their order, nil for one with an If that cannot be planned. The Client sets it;
	// NestedOf finds the one of a step.
	Nested []*Plan

	// Run, Send and Attach carry the Plan out. They are methods of the request that planning has parsed, or close over it, so that nothing
	// is parsed twice. A nil function is an operation that the scheme does not have; the Client rejects it. They may be called several
	// times, also concurrently, and every call is independent: they do not change the request. p is the Plan that the Client has checked,
	// with URI and Options set. None of them is part of the JSON.
	Run    RunFunc
	Send   SendFunc
	Attach AttachFunc

	charset string // see Charset
	from    *Plan  // of the request that led to this one, by a referral or by Env.Get
	state   string // the result of State when the request began

	// State returns the state that p's request would add to its Steps now, such as the cookies of a jar. A referral back to a URI is a loop
	// only if the state is the same, too. A nil State adds nothing.
	State func(p *Plan) string
}

// A RunFunc sends p's commands and returns as soon as Body or Entries can be read. It must send p.When("") in order, and p.When(c) once c
// has come true, each step by Conn.Send (or announced by Env.Announce if no Conn sends it), and no other command.
//
// It must reach the network only through env, must not follow referrals, must not retry a request that the peer may have acted on, and must
// leave nothing running when the Document is closed. ctx governs the Document until Close; env is valid as long. An error that it returns
// has a Kind; errors of env's connections have one already and are passed on as they are.
type RunFunc func(ctx context.Context, p *Plan, env *Env) (*Document, error)

// A SendFunc sends a message. p was planned with Op Send; a nil msg means that the message is made from the URI alone. When the final reply
// is lost, the error is ErrTransfer and says "unknown whether accepted"; nobody retries.
type SendFunc func(ctx context.Context, p *Plan, env *Env, msg io.Reader) (*Receipt, error)

// An AttachFunc attaches a terminal. p was planned with Op Attach. It returns when the session ends, the context ends, or the terminal's
// input ends; it closes t.In, so that no goroutine is left in Read.
type AttachFunc func(ctx context.Context, p *Plan, env *Env, t *Terminal) error

// When returns the steps of one condition, in order; "" returns the unconditional ones. The steps are the Plan's own: copy one before you
// change it.
func (p *Plan) When(cond string) []Step {
	n, first, last := 0, 0, -1
	for i := range p.Steps {
		if p.Steps[i].If != cond {
			continue
		}
		if n++; n == 1 {
			first = i
		}
		last = i
	}
	if n == 0 {
		return nil
	}
	if n == last+1-first { // adjacent, as most are
		return p.Steps[first : last+1 : last+1]
	}
	out := make([]Step, 0, n)
	for i := first; i <= last; i++ {
		if p.Steps[i].If == cond {
			out = append(out, p.Steps[i])
		}
	}
	return out
}

// TLSMode is how TLS begins.
type TLSMode string

const (
	NoTLS       TLSMode = "none"
	ImplicitTLS TLSMode = "implicit" // from the first byte
	ExplicitTLS TLSMode = "explicit" // by a command of the protocol
)

func (p *Plan) isEncrypted() bool { return p.TLS == ImplicitTLS || p.TLS == ExplicitTLS }

// Shape is the kind of result that a Plan has.
type Shape string

const (
	ShapeDocument Shape = "document"
	ShapeListing  Shape = "listing"
	ShapeSearch   Shape = "search"
	ShapeMessage  Shape = "message"
	ShapeSession  Shape = "session"
	ShapeReferral Shape = "referral"
)

// A Step is one command. Verb, Args and Tail are the bytes of a line as sent, so the Client refuses CR, LF and NUL in them for every scheme,
// before anything is contacted and again before the step is sent. Data is what the protocol transmits by length or quoting; it may hold any
// bytes.
type Step struct {
	At     string   // the host:port that it is sent to; "" is the Plan's Addr
	Verb   string   // RETR, GET; a lone selector has none
	Args   []string // separated by blanks; <name> stands for a value from a reply
	Data   string   // a DocID, DN, filter, hsoname, message body
	Tail   []string // as Args, after Data
	If     string   // the condition in words, a constant of the scheme's package; "" is always
	Repeat string   // until when it is repeated; "" is once
	Secret bool     // shown as the verb alone
	Get    uri.URI  // of GetStep: the step is a request of its own, which Env.Get makes
}

// Line returns verb and arguments joined by single blanks: the line as line protocols send it, without its line end.
func (s Step) Line() string {
	n := len(s.Verb)
	for _, a := range s.Args {
		n += 1 + len(a)
	}
	return string(s.appendLine(make([]byte, 0, n)))
}

// appendLine appends Line to b.
func (s *Step) appendLine(b []byte) []byte {
	b = append(b, s.Verb...)
	for i, a := range s.Args {
		if i > 0 || s.Verb != "" {
			b = append(b, ' ')
		}
		b = append(b, a...)
	}
	return b
}

// Octets is a string of any bytes. Its JSON is a string if it is UTF-8, and {"base64": "..."} otherwise.
type Octets string

type jsonStep struct {
	At     string   `json:"at,omitempty"`
	Verb   Octets   `json:"verb"`
	Args   []Octets `json:"args,omitempty"`
	Data   Octets   `json:"data,omitempty"`
	Tail   []Octets `json:"tail,omitempty"`
	If     string   `json:"if,omitempty"`
	Repeat string   `json:"repeat,omitempty"`
	Secret bool     `json:"secret,omitempty"`
}

type jsonRefer struct {
	URI    string `json:"uri"`
	Reason string `json:"reason"`
}

type jsonPlan struct {
	URI     string      `json:"uri"`
	Scheme  string      `json:"scheme"`
	Network string      `json:"network"`
	Addr    string      `json:"addr"`
	TLS     TLSMode     `json:"tls"`
	Shape   Shape       `json:"shape"`
	Type    string      `json:"type"`
	Steps   []jsonStep  `json:"steps"`
	Refers  []jsonRefer `json:"refers"`
	Nested  []*Plan     `json:"nested,omitempty"`
}

// MarshalJSON returns an object without secrets and without the empty members of steps.
func (p *Plan) MarshalJSON() ([]byte, error) {
	j := jsonPlan{
		URI: p.URI.String(), Scheme: p.URI.Scheme(), Network: p.Network, Addr: p.Addr, TLS: p.TLS, Shape: p.Shape, Type: p.Type,
		Steps: make([]jsonStep, len(p.Steps)), Refers: make([]jsonRefer, len(p.Refers)),
	}
	if j.TLS == "" {
		j.TLS = NoTLS
	}
	for i, s := range p.Steps {
		j.Steps[i] = s.json()
	}
	for i, r := range p.Refers {
		j.Refers[i] = jsonRefer{r.URI.Redacted(nil), r.Reason}
	}
	for _, n := range p.Nested {
		if n != nil {
			j.Nested = append(j.Nested, n)
		}
	}
	return json.Marshal(j)
}

func (s Step) json() jsonStep {
	j := jsonStep{At: s.At, Verb: Octets(s.Verb), If: s.If, Repeat: s.Repeat, Secret: s.Secret}
	if s.Secret {
		return j
	}
	j.Data = Octets(s.Data)
	for _, a := range s.Args {
		j.Args = append(j.Args, Octets(a))
	}
	for _, a := range s.Tail {
		j.Tail = append(j.Tail, Octets(a))
	}
	return j
}
