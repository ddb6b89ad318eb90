package warc

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// String returns the comments in the form that ParseOutcome reads.
func (o *Outcome) String() string { return string(o.comments()) }

// comments returns the lines at the head of the dialogue.
func (o *Outcome) comments() []byte {
	var b []byte
	add := func(name, value string) {
		if value != "" {
			b = fmt.Appendf(b, "# %s: %s\n", name, oneLine(value))
		}
	}
	for _, c := range o.table() {
		if c.name == "document" && !o.Opened {
			return b
		}
		add(c.name, c.get())
	}
	for _, name := range slices.Sorted(maps.Keys(o.Header)) {
		for _, v := range o.Header[name] {
			add("field", name+": "+v)
		}
	}
	for _, r := range o.Referrals {
		name := "leads-to"
		if r.Own {
			name = "leads-to-own"
		}
		add(name, r.URI.Redacted(nil)+" "+r.Reason)
	}
	return b
}

// A comment is the line of one field. Its get returns "" if the line is left out.
type comment struct {
	name string
	get  func() string
	set  func(value string)
}

// table returns the comments in their order, but for those of Header and Referrals, which have many lines. All after "document" belong to it.
func (o *Outcome) table() []comment {
	return []comment{
		text("uri", &o.URI),
		text("asked", &o.Selection),
		text("outcome", &o.Kind),
		text("error", &o.Error),
		yes("document", &o.Opened),
		text("type", &o.Type),
		text("type-reason", &o.TypeReason),
		number("size", &o.Size, 0),
		number("offset", &o.Offset, 1),
		yes("range", &o.Range),
		text("end", &o.End),
		{"status", o.status, o.setStatus},
		number("gaps", &o.Missing, 1),
		{"modified", o.modified, func(value string) { o.Modified, _ = time.Parse(time.RFC3339, value) }},
		{"precision", func() string { return fetch.PrecisionName(o.Precision) }, func(value string) { o.Precision = fetch.PrecisionOf(value) }},
		yes("zone-unknown", &o.ZoneUnknown),
		text("validator-tag", &o.Validator.Tag),
		text("validator-modified", &o.Validator.Modified),
		number("validator-size", &o.Validator.Size, 1),
		text("base", &o.Base),
		yes("not-modified", &o.NotModified),
		yes("entries", &o.Entries),
		yes("left-out", &o.LeftOut),
	}
}

func text[T ~string](name string, p *T) comment {
	return comment{name, func() string { return string(*p) }, func(value string) { *p = T(value) }}
}

func yes(name string, p *bool) comment {
	get := func() string {
		if *p {
			return "yes"
		}
		return ""
	}
	return comment{name, get, func(string) { *p = true }}
}

// number returns a comment for a number. The comment is omitted if the number is less than least, which means unknown or none; parsing an
// invalid number sets it to least-1.
func number(name string, p *int64, least int64) comment {
	get := func() string {
		if *p < least {
			return ""
		}
		return strconv.FormatInt(*p, 10)
	}
	set := func(value string) {
		n, err := strconv.ParseInt(value, 10, 64)
		if *p = n; err != nil || n < least {
			*p = least - 1
		}
	}
	return comment{name, get, set}
}

func (o *Outcome) status() string {
	if o.Status <= 0 {
		return ""
	}
	return strings.TrimSpace(strconv.Itoa(o.Status) + " " + o.Reason)
}

func (o *Outcome) setStatus(value string) {
	code, reason, _ := strings.Cut(value, " ")
	o.Status, _ = strconv.Atoi(code)
	o.Reason = reason
}

func (o *Outcome) modified() string {
	if o.Modified.IsZero() {
		return ""
	}
	return o.Modified.UTC().Format(time.RFC3339)
}

// ParseOutcome parses the comments at the head of a dialogue. It ignores unknown lines.
func ParseOutcome(text string) *Outcome {
	o := &Outcome{Size: -1, Validator: fetch.Validator{Size: -1}, Header: textproto.MIMEHeader{}}
	table := o.table()
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "# ")
		if !ok {
			break
		}
		if name, value, ok := strings.Cut(line, ": "); ok {
			o.set(table, name, value)
		}
	}
	return o
}

// set parses one comment, whose field is in table or has many lines.
func (o *Outcome) set(table []comment, name, value string) {
	if i := slices.IndexFunc(table, func(c comment) bool { return c.name == name }); i >= 0 {
		table[i].set(value)
		return
	}
	switch name {
	case "field":
		if k, v, ok := strings.Cut(value, ": "); ok {
			o.Header[k] = append(o.Header[k], v)
		}
	case "leads-to", "leads-to-own":
		to, reason, _ := strings.Cut(value, " ")
		if u, err := uri.Parse(to); err == nil {
			o.Referrals = append(o.Referrals, fetch.Referral{URI: u, Reason: reason, Own: name == "leads-to-own"})
		}
	}
}

// readOutcome parses the head of a dialogue.
func readOutcome(r io.Reader) *Outcome {
	o, _ := cutOutcome(r)
	return o
}

// cutOutcome also returns a reader of the text after the head, up to maxHeader bytes of the whole.
func cutOutcome(r io.Reader) (*Outcome, io.Reader) {
	in := bufio.NewReader(io.LimitReader(r, maxHeader))
	var head strings.Builder
	for {
		if b, _ := in.Peek(1); string(b) != "#" {
			return ParseOutcome(head.String()), in
		}
		line, _ := in.ReadString('\n')
		head.WriteString(line)
	}
}

// outcomeOf returns the outcome in the dialogue of the capture at p, or nil if that has none.
func (a *Archive) outcomeOf(u uri.URI, p recordRef) (*Outcome, error) {
	q, ok := a.sibling(u, p, refDialogue)
	if !ok {
		return nil, nil
	}
	r, err := a.open(q)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return readOutcome(r.Block), nil
}
