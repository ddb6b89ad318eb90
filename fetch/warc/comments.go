package warc

import (
	"bufio"
	"fmt"
	"io"
	"maps"
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

// A comment is the line of one field.
type comment struct {
	name string
	at   any // points to the field; for the status and its reason to the Outcome
}

// table returns the comments in their order, but for those of Header and Referrals, which have many lines. All after "document" belong to it.
func (o *Outcome) table() []comment {
	return []comment{
		{"uri", &o.URI},
		{"asked", &o.Selection},
		{"outcome", &o.Kind},
		{"error", &o.Error},
		{"document", &o.Opened},
		{"type", &o.Type},
		{"type-reason", &o.TypeReason},
		{"size", &o.Size},
		{"offset", &o.Offset},
		{"range", &o.Range},
		{"end", &o.End},
		{"status", o},
		{"gaps", &o.Missing},
		{"modified", &o.Modified},
		{"precision", &o.Precision},
		{"zone-unknown", &o.ZoneUnknown},
		{"validator-tag", &o.Validator.Tag},
		{"validator-modified", &o.Validator.Modified},
		{"validator-size", &o.Validator.Size},
		{"base", &o.Base},
		{"not-modified", &o.NotModified},
		{"entries", &o.Entries},
		{"left-out", &o.LeftOut},
	}
}

// get returns the value. It returns "" if there is none: the line is omitted. A size of 0 is known, other numbers are none then.
func (c comment) get() string {
	switch p := c.at.(type) {
	case *string:
		return *p
	case *fetch.End:
		return string(*p)
	case *bool:
		if *p {
			return "yes"
		}
	case *int64:
		if *p > 0 || *p == 0 && c.name == "size" {
			return strconv.FormatInt(*p, 10)
		}
	case *time.Time:
		if !p.IsZero() {
			return p.UTC().Format(time.RFC3339)
		}
	case *time.Duration:
		return fetch.PrecisionName(*p)
	case *Outcome:
		if p.Status > 0 {
			return strings.TrimSpace(strconv.Itoa(p.Status) + " " + p.Reason)
		}
	}
	return ""
}

// set parses a value. A number that is not one leaves the field unknown.
func (c comment) set(value string) {
	switch p := c.at.(type) {
	case *string:
		*p = value
	case *fetch.End:
		*p = fetch.End(value)
	case *bool:
		*p = true
	case *int64:
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && n >= 0 {
			*p = n
		}
	case *time.Time:
		*p, _ = time.Parse(time.RFC3339, value)
	case *time.Duration:
		*p = fetch.PrecisionOf(value)
	case *Outcome:
		code, reason, _ := strings.Cut(value, " ")
		p.Status, _ = strconv.Atoi(code)
		p.Reason = reason
	}
}

// ParseOutcome parses the comments at the head of a dialogue. It ignores unknown lines.
func ParseOutcome(text string) *Outcome {
	o := &Outcome{Document: noDocument()}
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
func (a *Archive) outcomeOf(p recordRef) (*Outcome, error) {
	if p.dialogue == nil {
		return nil, nil
	}
	r, err := a.open(*p.dialogue)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return readOutcome(r.Block), nil
}
