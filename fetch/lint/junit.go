package lint

import (
	"fmt"
	"io"
	"strings"

	linkcheck "example.org/deref/fetch/check"
)

// WriteJUnit writes the report as the XML that continuous-integration systems read: one test case for each check.
func (r *Report) WriteJUnit(w io.Writer) error {
	var b strings.Builder
	text := func(format string, args ...string) {
		all := make([]any, len(args))
		for i, a := range args {
			all[i] = linkcheck.EscapeXML(a)
		}
		fmt.Fprintf(&b, format, all...)
	}
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n")
	text("<testsuite name=\"%s\">\n", r.URI.String())
	for _, c := range r.Checks {
		text("<testcase classname=\"%s\" name=\"%s\">", r.URI.Scheme(), c.Name)
		switch {
		case c.Skipped != "":
			text("<skipped message=\"%s\"/>", c.Skipped)
		case len(c.Findings) > 0:
			var all []string
			for _, f := range c.Findings {
				all = append(all, f.String())
			}
			text("<failure message=\"%s\">%s</failure>", all[0], c.URI+"\n"+strings.Join(all, "\n")+"\n")
		}
		b.WriteString("</testcase>\n")
	}
	b.WriteString("</testsuite>\n</testsuites>\n")
	_, err := io.WriteString(w, b.String())
	return err
}
