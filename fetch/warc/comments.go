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
	add("uri", o.URI)
	add("asked", o.Selection)
	add("outcome", o.Kind)
	add("error", o.Error)
	if !o.Opened {
		return b
	}
	add("document", "yes")
	add("type", o.Type)
	add("type-reason", o.TypeReason)
	add("size", number(o.Size))
	if o.Offset > 0 {
		add("offset", number(o.Offset))
	}
	add("range", yes(o.Range))
	add("end", string(o.End))
	if o.Status > 0 {
		add("status", strings.TrimSpace(number(int64(o.Status))+" "+o.Reason))
	}
	if o.Missing > 0 {
		add("gaps", number(o.Missing))
	}
	if !o.Modified.IsZero() {
		add("modified", o.Modified.UTC().Format(time.RFC3339))
	}
	add("validator-tag", o.Validator.Tag)
	add("validator-modified", o.Validator.Modified)
	add("validator-size", number(o.Validator.Size))
	add("base", o.Base)
	add("not-modified", yes(o.NotModified))
	add("entries", yes(o.Entries))
	add("left-out", yes(o.LeftOut))
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

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func number(n int64) string {
	if n < 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// ParseOutcome parses the comments at the head of a dialogue. It ignores unknown lines.
func ParseOutcome(text string) *Outcome {
	o := &Outcome{Size: -1, Validator: fetch.Validator{Size: -1}, Header: textproto.MIMEHeader{}}
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "# ")
		if !ok {
			break
		}
		if name, value, ok := strings.Cut(line, ": "); ok {
			o.set(name, value)
		}
	}
	return o
}

// set parses one comment.
func (o *Outcome) set(name, value string) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		n = -1
	}
	switch name {
	case "uri":
		o.URI = value
	case "asked":
		o.Selection = value
	case "outcome":
		o.Kind = value
	case "error":
		o.Error = value
	case "document":
		o.Opened = true
	case "type":
		o.Type = value
	case "type-reason":
		o.TypeReason = value
	case "size":
		o.Size = n
	case "offset":
		o.Offset = max(n, 0)
	case "range":
		o.Range = true
	case "status":
		code, reason, _ := strings.Cut(value, " ")
		o.Status, _ = strconv.Atoi(code)
		o.Reason = reason
	case "gaps":
		o.Missing = max(n, 0)
	case "end":
		o.End = fetch.End(value)
	case "modified":
		o.Modified, _ = time.Parse(time.RFC3339, value)
	case "validator-tag":
		o.Validator.Tag = value
	case "validator-modified":
		o.Validator.Modified = value
	case "validator-size":
		o.Validator.Size = n
	case "base":
		o.Base = value
	case "not-modified":
		o.NotModified = true
	case "entries":
		o.Entries = true
	case "left-out":
		o.LeftOut = true
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
	in := bufio.NewReader(io.LimitReader(r, maxHeader))
	var head strings.Builder
	for {
		line, err := in.ReadString('\n')
		if !strings.HasPrefix(line, "#") {
			break
		}
		head.WriteString(line)
		if err != nil {
			break
		}
	}
	return ParseOutcome(head.String())
}
