package check

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Verdict is the result for a link.
type Verdict string

const (
	OK           Verdict = "ok"
	Redirected   Verdict = "redirected" // it refers to a document through another URI
	Suspect      Verdict = "suspect"    // got a web page that is probably not the document, such as a captive portal's or a login page (package portal)
	Broken       Verdict = "broken"     // the server has no such document, or the link is not a URI
	Denied       Verdict = "denied"     // a login is required, or access is refused
	Unreachable  Verdict = "unreachable"
	NotCheckable Verdict = "not checkable"
)

// IsBad reports whether the link certainly does not work. A Suspect one may work: see Options.FailSuspect.
func (v Verdict) IsBad() bool { return v == Broken || v == Denied || v == Unreachable }

// A Place is where a link occurs.
type Place struct {
	Source uri.URI
	Line   int    // in a text, from 1; 0 if unknown
	Text   string // link text
}

// A Result is the result for one link.
type Result struct {
	URI     uri.URI // zero if Ref is not a URI
	Ref     string  // as written, if it is not a URI
	Verdict Verdict
	Final   uri.URI // final URI of a redirected link
	// Permanent is set if every redirect to Final is permanent, so that the link should be changed.
	Permanent bool
	Err       error  // the reason for a verdict other than ok
	Suspect   string // why the document is probably another one, or ""
	Cached    bool   // the result is from the Cache
	Known     bool   // the problem is in the Baseline
	Time      time.Duration
	Places    []Place // the first ones, at most MaxPlaces
	Count     int     // number of all places

	redact func(uri.URI) string
	forced bool  // it is good only because its status is accepted
	busy   error // the host refused the request for now, which lowers the rate of requests also if the status is accepted
}

// judge sets the error of a response.
func (r *Result) judge(accept Statuses, status int, err error) {
	r.Err = accept.apply(status, err)
	r.forced = err != nil && r.Err == nil
	if e, ok := errors.AsType[*fetch.Error](err); ok && e.Busy {
		r.busy = err
	}
}

// MaxPlaces bounds the places in a Result.
const MaxPlaces = 20

// resultJSON is the JSON form of a Result.
type resultJSON struct {
	URI     string      `json:"uri"`
	Verdict Verdict     `json:"verdict"`
	Final   string      `json:"final_uri,omitempty"`
	Forever bool        `json:"permanent,omitempty"`
	Class   string      `json:"class,omitempty"`
	Message string      `json:"message,omitempty"`
	Suspect string      `json:"suspect,omitempty"`
	Cached  bool        `json:"cached,omitempty"`
	Known   bool        `json:"known,omitempty"`
	Time    float64     `json:"time"` // seconds
	Count   int         `json:"count"`
	Places  []placeJSON `json:"places"`
}

type placeJSON struct {
	Source string `json:"source"`
	Line   int    `json:"line,omitempty"`
	Text   string `json:"text,omitempty"`
}

// MarshalJSON returns
// {"uri","verdict","final_uri","permanent","class","message","suspect","cached","known","time","count","places":[{"source","line","text"}]}. It contains no
// password.
func (r *Result) MarshalJSON() ([]byte, error) {
	j := resultJSON{URI: r.Name(), Verdict: r.Verdict, Suspect: r.Suspect, Cached: r.Cached, Known: r.Known, Time: r.Time.Seconds(), Count: r.Count,
		Places: []placeJSON{},
		Final:  r.FinalName(), Forever: r.Permanent}
	for _, p := range r.Places {
		j.Places = append(j.Places, placeJSON{r.shown(p.Source), p.Line, p.Text})
	}
	if r.Err != nil {
		j.Class, j.Message = classOf(r.Err), r.Err.Error()
	}
	return json.Marshal(j)
}

// classOf returns the kind of an error, or "error" if it has none.
func classOf(err error) string { return cmp.Or(string(fetch.KindOf(err)), "error") }

// Name returns the link as text, redacted by Options.Redact.
func (r *Result) Name() string {
	if r.URI.IsZero() {
		return r.Ref
	}
	return r.shown(r.URI)
}

// FinalName returns the redacted Final, or "" if it is zero.
func (r *Result) FinalName() string {
	if r.Final.IsZero() {
		return ""
	}
	return r.shown(r.Final)
}

// PlaceName returns SOURCE or SOURCE:LINE, redacted.
func (r *Result) PlaceName(p Place) string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d", r.shown(p.Source), p.Line)
	}
	return r.shown(p.Source)
}

// WithNames returns a copy of r whose names of URIs are those of name, in place of Options.Redact.
func (r *Result) WithNames(name func(uri.URI) string) *Result {
	named := *r
	named.redact = name
	return &named
}

func (r *Result) shown(u uri.URI) string {
	if r.redact != nil {
		return r.redact(u)
	}
	return u.Redacted(nil)
}
