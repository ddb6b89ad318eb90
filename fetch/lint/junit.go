package lint

import (
	"io"
	"strings"

	linkcheck "example.org/deref/fetch/check"
)

// WriteJUnit writes the report as the XML that continuous-integration systems read: one test case for each check.
func (r *Report) WriteJUnit(w io.Writer) error {
	j := linkcheck.NewJUnit(w, r.URI.String())
	for _, c := range r.Checks {
		j.Printf("<testcase classname=\"%s\" name=\"%s\">", r.URI.Scheme(), c.Name)
		switch {
		case c.Skipped != "":
			j.Printf("<skipped message=\"%s\"/>", c.Skipped)
		case len(c.Findings) > 0:
			var all []string
			for _, f := range c.Findings {
				all = append(all, f.String())
			}
			j.Printf("<failure message=\"%s\">%s</failure>", all[0], c.URI+"\n"+strings.Join(all, "\n")+"\n")
		}
		j.Printf("</testcase>\n")
	}
	return j.Close()
}
