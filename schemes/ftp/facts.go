package ftp

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jlaffaye/ftp"

	"example.org/deref/fetch"
	"example.org/deref/fetch/checksum"
	"example.org/deref/schemes/ftp/listing"
)

// facts holds the server's reports about the object.
type facts struct {
	size     int64  // by SIZE in TYPE I, -1 unknown
	timeVal  string // by MDTM, verbatim
	modified time.Time
	offset   int64           // first byte that is requested
	refusal  *refusal        // by SIZE or MDTM
	sum      checksum.Digest // by HASH or XSHA256
	mlsd     string          // a fact about the server, or "" before FEAT
}

// isQuestion reports whether a refusal of the command is not a failure.
func isQuestion(verb string) bool {
	switch verb {
	case "SIZE", "MDTM", "PWD", "FEAT", "OPTS", "HASH", "XSHA256":
		return true
	}
	return false
}

// learn stores the fact in a reply. None of it is needed to fetch the object, so a refusal is not a failure.
func (r *retrieval) learn(s fetch.Step, a reply) error {
	known := a.class() == 2
	switch isFact := a.code == ftp.StatusFile; { // RFC 3659 §3.3, §4.1 (the server of Python's test_ftplib answers 250)
	case s.Verb == "FEAT":
		r.mlsd = withoutMLSD
		if known && offers(a.text, "MLST") {
			r.mlsd = withMLSD
		}
		r.env.Peer().Set(r.mlsd, true)
		if known && offers(a.text, "UTF8") {
			r.env.Peer().Set(withUTF8, true)
		}
	case s.Verb == "OPTS": // OPTS UTF8 is not sent again, even if it was refused
		r.s.utf8 = r.s.utf8 || s.Args[0] != "HASH"
	case s.Verb == "HASH" || s.Verb == "XSHA256":
		if known {
			r.sum = parseHash(s.Verb, a.text)
		}
	case !known:
		r.refusal = &refusal{s, a}
	case s.Verb == "PWD":
		return r.s.isAt(parsePWD(a.text))
	case s.Verb == "SIZE" && isFact:
		r.size = parseSize(a.first())
	case s.Verb == "MDTM" && isFact:
		r.timeVal, r.modified = parseMDTM(a.first())
	}
	return nil
}

// offers reports whether the reply to FEAT lists a feature (RFC 2389 §3.2: one a line, after a blank).
func offers(text, feature string) bool {
	for l := range strings.SplitSeq(text, "\n") {
		word, _, _ := strings.Cut(strings.TrimSpace(l), " ")
		if strings.EqualFold(word, feature) {
			return true
		}
	}
	return false
}

// parseSize parses the number of a 213 (RFC 3659 §4.1). It returns -1 if there is no valid number.
func parseSize(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// parseMDTM parses a time-val (RFC 3659 §2.3): YYYYMMDDHHMMSS in UTC, perhaps with a fraction.
func parseMDTM(text string) (string, time.Time) {
	text = strings.TrimSpace(text)
	t := listing.TimeVal(text)
	if t.IsZero() {
		text = ""
	}
	return text, t
}

// listedFacts returns the facts in an entry of a listing that SIZE and MDTM would repeat. The modify fact of MLSD is the value of MDTM (RFC 3659
// section 7.5.3). The times of LIST lack seconds or the zone.
func listedFacts(e *fetch.Entry) facts {
	f := facts{size: -1}
	if e.Kind != fetch.KindFile || e.Size < 0 {
		return f
	}
	f.size = e.Size
	if t := e.Modified; !t.IsZero() && e.Precision == time.Second && !e.ZoneUnknown && t.Nanosecond() == 0 {
		f.timeVal, f.modified = t.UTC().Format(timeVal), t
	}
	return f
}

// timeVal is the form of a time-val without a fraction (RFC 3659 section 2.3).
const timeVal = "20060102150405"

func (f *facts) validator() fetch.Validator {
	return fetch.Validator{Modified: f.timeVal, Size: f.size}
}

// startOffset returns where the transfer begins: at 0 if a resumed object has changed. It returns -1 if that cannot be known.
func (r *retrieval) startOffset() int64 {
	from := r.req.rng.From
	if from < 0 {
		if r.size < 0 {
			return -1
		}
		from = max(0, r.size+from)
	}
	if r.noREST || !r.req.same.IsZero() && !r.req.same.Same(r.validator()) {
		return 0
	}
	return from
}

// withRestart puts REST with the known offset before the transfer if it is needed, and removes it otherwise.
func (r *retrieval) withRestart(steps []fetch.Step) []fetch.Step {
	rest := slices.Clone(r.plan.When(ifSame)) // the Plan must not change
	var out []fetch.Step
	for _, s := range steps {
		switch {
		case s.Verb == "REST":
			rest = []fetch.Step{s}
		case transfers(s.Verb) && len(rest) > 0 && r.offset > 0:
			rest[0].Args = []string{strconv.FormatInt(r.offset, 10)}
			out = append(out, rest[0], s)
		default:
			out = append(out, s)
		}
	}
	return out
}

// unmodified reports whether the object still matches Options.IfChanged: it has the same validator or, if that is a date, is not newer.
func (r *retrieval) unmodified() bool {
	v := r.req.changed
	if v.IsZero() || r.timeVal == "" {
		return false
	}
	if v.Modified == r.timeVal {
		return v.Size <= 0 || v.Size == r.size
	}
	for _, layout := range [...]string{time.RFC1123, time.RFC1123Z, time.RFC3339, timeVal} {
		if t, err := time.Parse(layout, v.Modified); err == nil {
			return !r.modified.After(t)
		}
	}
	return false
}

// announced returns the size that many servers report in the text of 150, as in "(1234 bytes)". It returns -1 if there is none.
func announced(text string) int64 {
	i := strings.LastIndexByte(text, '(')
	if i < 0 {
		return -1
	}
	n, unit, ok := strings.Cut(text[i+1:], " ")
	if !ok || !strings.HasPrefix(strings.ToLower(unit), "byte") {
		return -1
	}
	return parseSize(n)
}
