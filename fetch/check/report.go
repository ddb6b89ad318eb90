package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// reportVersion is the version of the format of JSONReport.
const reportVersion = 1

// A JSONReport writes Results as one JSON object:
//
//	{"version":1,"results":[RESULT,...],"summary":SUMMARY}
//
// A RESULT has the fields of Result.MarshalJSON, and a SUMMARY those of Summary.MarshalJSON. Later versions may add fields.
type JSONReport struct {
	w     io.Writer
	count int
	err   error
}

// NewJSONReport starts a report.
func NewJSONReport(w io.Writer) *JSONReport {
	j := &JSONReport{w: w}
	j.print(fmt.Sprintf("{\"version\":%d,\"results\":[", reportVersion))
	return j
}

func (j *JSONReport) print(text string) {
	if j.err == nil {
		_, j.err = io.WriteString(j.w, text)
	}
}

// Add writes one Result.
func (j *JSONReport) Add(r *Result) {
	if j.count++; j.count > 1 {
		j.print(",")
	}
	j.print("\n")
	if j.err == nil {
		b, err := json.Marshal(r)
		j.err = err
		j.print(string(b))
	}
}

// Close ends the report with the summary, and returns the first write error.
func (j *JSONReport) Close(s Summary) error {
	b, err := json.Marshal(&s)
	j.print("\n],\"summary\":" + string(b) + "}\n")
	return cmp.Or(j.err, err)
}

// MarshalJSON returns {"links","verdicts":{VERDICT:number},"excluded","known","pages","unread","time","class","message"}; the last two are the kind and the
// text of First.
func (s *Summary) MarshalJSON() ([]byte, error) {
	j := struct {
		Links    int64             `json:"links"`
		Verdicts map[Verdict]int64 `json:"verdicts"`
		Excluded int64             `json:"excluded"`
		Known    int64             `json:"known"`
		Pages    int64             `json:"pages"`
		Unread   int64             `json:"unread"`
		Time     float64           `json:"time"` // seconds
		Class    string            `json:"class,omitempty"`
		Message  string            `json:"message,omitempty"`
	}{Links: s.Links, Verdicts: s.Verdicts, Excluded: s.Excluded, Known: s.Known, Pages: s.Pages, Unread: s.Unread, Time: s.Time.Seconds()}
	if s.First != nil {
		j.Class, j.Message = classOf(s.First), s.First.Error()
	}
	return json.Marshal(j)
}

// WriteGitHub writes the problems of r as workflow commands of GitHub Actions, one for each place. path returns the path of a source in the repository,
// or "" if it is not a file there.
func WriteGitHub(w io.Writer, r *Result, path func(Place) string) error {
	level := "error"
	switch {
	case r.Known, !r.Verdict.IsBad() && r.Verdict != Suspect:
		return nil
	case r.Verdict == Suspect && r.Err == nil:
		level = "warning"
	}
	text := r.Name()
	if r.Err != nil {
		text += ": " + r.Err.Error()
	} else if r.Suspect != "" {
		text += ": " + r.Suspect
	}
	for _, p := range r.Places {
		where := ""
		if file := path(p); file != "" {
			where = "file=" + githubEscaped(file, true) + ","
			if p.Line > 0 {
				where += fmt.Sprintf("line=%d,", p.Line)
			}
		}
		if _, err := fmt.Fprintf(w, "::%s %stitle=%s link::%s\n", level, where, r.Verdict, githubEscaped(text, false)); err != nil {
			return err
		}
	}
	return nil
}

// githubEscaped escapes the text of a workflow command, or the value of one of its properties.
func githubEscaped(s string, isProperty bool) string {
	s = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
	if isProperty {
		s = strings.NewReplacer(":", "%3A", ",", "%2C").Replace(s)
	}
	return s
}
