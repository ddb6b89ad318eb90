package ftp

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
)

// facts is what the server has told about the object.
type facts struct {
	size     int64  // by SIZE in TYPE I, -1 unknown
	stamp    string // by MDTM, as the server sent it
	modified time.Time
	offset   int64    // first octet that is asked for
	unsized  *refusal // why SIZE or MDTM told nothing
	mlsd     string   // withMLSD, withoutMLSD, or "" while nobody has asked
}

// learn takes what is told on the control connection. None of it is needed to fetch the object, so a refusal is no failure.
func (r *run) learn(s fetch.Step, a reply) error {
	if s.Verb == "FEAT" {
		fact := withoutMLSD
		if a.class() == 2 && offers(a.text, "MLST") {
			fact = withMLSD
		}
		r.mlsd = fact
		r.env.Learn(fact)
		return nil
	}
	if a.class() != 2 {
		r.unsized = &refusal{s, a}
		return nil
	}
	switch s.Verb {
	case "SIZE", "MDTM":
		if a.code != 213 { // RFC 3659 §3.3, §4.1: what another reply holds is not the fact (the server of Python's test_ftplib says 250)
			return nil
		}
	}
	switch s.Verb {
	case "SIZE":
		r.size = parseSize(a.first())
	case "MDTM":
		r.stamp, r.modified = parseMDTM(a.first())
	case "PWD":
		return r.s.at(parsePWD(a.text))
	}
	return nil
}

// offers reports whether the reply to FEAT lists a feature (RFC 2389 §3.2: one a line, behind a blank).
func offers(text, feature string) bool {
	for l := range strings.SplitSeq(text, "\n") {
		word, _, _ := strings.Cut(strings.TrimSpace(l), " ")
		if strings.EqualFold(word, feature) {
			return true
		}
	}
	return false
}

// at notes the login folder, or sees whether CWD has led back to it.
func (s *session) at(dir string) error {
	switch {
	case s.home == "":
		s.home = dir
	case dir != s.home:
		return s.ctl.end(stale{errElsewhere})
	default:
		s.sure = true
	}
	return nil
}

// parseSize reads the number of a 213 (RFC 3659 §4.1), -1 where there is none that can be believed.
func parseSize(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// parseMDTM reads a time-val (RFC 3659 §2.3): YYYYMMDDHHMMSS, in UTC, with a fraction perhaps.
func parseMDTM(text string) (string, time.Time) {
	text = strings.TrimSpace(text)
	digits, _, _ := strings.Cut(text, ".")
	t, err := time.Parse("20060102150405", digits)
	if err != nil {
		return "", time.Time{}
	}
	return text, t
}

func (f *facts) validator() fetch.Validator {
	return fetch.Validator{Modified: f.stamp, Size: f.size}
}

// conditional reports whether the facts must be known before the transfer is asked for.
func (w *wish) conditional() bool {
	return w.rng.From < 0 || w.rng.From != 0 && !w.same.IsZero() || !w.changed.IsZero()
}

// from is where the transfer begins: at the beginning where a resumed object has changed; -1 where that cannot be known.
func (r *run) from() int64 {
	from := r.w.rng.From
	if from < 0 {
		if r.size < 0 {
			return -1
		}
		from = max(0, r.size+from)
	}
	if r.noREST || !r.w.same.IsZero() && !r.w.same.Same(r.validator()) {
		return 0
	}
	return from
}

// restarting puts REST where it is wanted, with the number that the facts gave.
func (r *run) restarting(move []fetch.Step) []fetch.Step {
	rest := slices.Clone(r.plan.When(ifSame)) // the Plan itself stays as it is
	var out []fetch.Step
	for _, s := range move {
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

// unmodified reports whether the object is still as Options.IfChanged has it: in the same state, or, where that is a date, not
// younger.
func (r *run) unmodified() bool {
	v := r.w.changed
	if v.IsZero() || r.stamp == "" {
		return false
	}
	if v.Modified == r.stamp {
		return v.Size <= 0 || v.Size == r.size
	}
	for _, layout := range [...]string{time.RFC1123, time.RFC1123Z, time.RFC3339, "20060102150405"} {
		if t, err := time.Parse(layout, v.Modified); err == nil {
			return !r.modified.After(t)
		}
	}
	return false
}

// announced is the size that many servers tell in the text of 150: "(1234 bytes)". -1 where it does not.
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
