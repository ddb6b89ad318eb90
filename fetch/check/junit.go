package check

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// A JUnit writes the XML that continuous-integration systems read.
type JUnit struct {
	w   io.Writer
	err error
}

// NewJUnit starts a report with one suite.
func NewJUnit(w io.Writer, suite string) *JUnit {
	j := &JUnit{w: w}
	j.Printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"%s\">\n", suite)
	return j
}

// Printf writes a part of a test case. It escapes the strings of args (escapeXML).
func (j *JUnit) Printf(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = escapeXML(s)
		}
	}
	if j.err == nil {
		_, j.err = fmt.Fprintf(j.w, format, args...)
	}
}

// escapeXML escapes text for attributes and elements of XML.
func escapeXML(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a Builder accepts everything
	return b.String()
}

// Add writes a test case for a link: a bad one has failed, and one that cannot be checked is skipped.
func (j *JUnit) Add(r *Result) {
	class := r.URI.Scheme()
	if class == "" {
		class = "none"
	}
	j.Printf("<testcase classname=\"%s\" name=\"%s\" time=\"%.3f\">", class, r.Name(), r.Time.Seconds())
	why := string(r.Verdict)
	if r.Err != nil {
		why += ": " + r.Err.Error()
	}
	switch {
	case r.Known:
		j.Printf("<skipped message=\"%s\"/>", "known: "+why)
	case r.Verdict.IsBad(), r.Verdict == Suspect && r.Err != nil:
		j.Printf("<failure message=\"%s\">%s</failure>", why, r.where())
	case r.Verdict == Suspect:
		j.Printf("<system-out>%s</system-out>", why+": "+r.Suspect)
	case r.Verdict == NotCheckable:
		j.Printf("<skipped message=\"%s\"/>", why)
	}
	j.Printf("</testcase>\n")
}

// where lists the places, one per line.
func (r *Result) where() string {
	var b strings.Builder
	for _, p := range r.Places {
		b.WriteString(r.PlaceName(p) + "\n")
	}
	if n := r.Count - len(r.Places); n > 0 {
		fmt.Fprintf(&b, "and %d more\n", n)
	}
	return b.String()
}

// Close ends the report and returns the first write error.
func (j *JUnit) Close() error {
	j.Printf("</testsuite>\n</testsuites>\n")
	return j.err
}
