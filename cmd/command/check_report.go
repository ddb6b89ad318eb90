package command

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/check"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/save"
)

// A checkReport writes results to standard output or a file.
type checkReport struct {
	add func(*check.Result)
	// close is nil for standard output, whose errors App.Out keeps. A file keeps its old contents if failed is not nil.
	close func(s check.Summary, failed error) error
}

// checkReports are those of one run.
type checkReports []checkReport

// add passes a result to each report. The first error of a report is returned by its close.
func (l checkReports) add(r *check.Result) {
	for _, report := range l {
		report.add(r)
	}
}

func (l checkReports) close(s check.Summary, failed error) (err error) {
	for _, report := range l {
		if report.close != nil {
			err = errors.Join(err, report.close(s, failed))
		}
	}
	return err
}

// reports opens the report to standard output and those of --report.
func (f *checkFlags) reports(a *app.App) (checkReports, error) {
	list := checkReports{{add: f.report(f.reportTo(a))}}
	for _, name := range f.files {
		next, err := fileReport(a, name)
		if err != nil {
			list.close(check.Summary{}, err)
			return nil, err
		}
		list = append(list, next)
	}
	return list, nil
}

// report returns the report to standard output.
func (f *checkFlags) report(w io.Writer) func(*check.Result) {
	switch {
	case f.json:
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return func(r *check.Result) { enc.Encode(r) }
	case f.github:
		below := naming{list: f.names.list[:1]}
		return func(r *check.Result) {
			check.WriteGitHub(w, r, func(p check.Place) string { return filepath.ToSlash(below.path(p.Source)) })
		}
	}
	return func(r *check.Result) {
		if f.all || !r.Known && (r.Verdict.IsBad() || r.Verdict == check.Suspect) {
			io.WriteString(w, checkLines(r.WithNames(f.names.of)))
		}
	}
}

// fileReport begins the file of --report, whose name determines the format.
func fileReport(a *app.App, name string) (checkReport, error) {
	suffix := strings.ToLower(filepath.Ext(name))
	if suffix != ".json" && suffix != ".xml" {
		return checkReport{}, flags.Usage(fmt.Sprintf("--report %s: the name must end in .json, or in .xml for JUnit", name))
	}
	w, err := save.Replace(name, 0o666)
	if err != nil {
		return checkReport{}, err
	}
	var add func(*check.Result)
	var end func(check.Summary) error
	if suffix == ".json" {
		j := check.NewJSONReport(w)
		add, end = j.Add, j.Close
	} else {
		j := check.NewJUnit(w, "links")
		add, end = j.Add, func(check.Summary) error { return j.Close() }
	}
	return checkReport{add, func(s check.Summary, failed error) error {
		lost, err := w.End(cmp.Or(failed, end(s)))
		a.Warn(lost)
		if err != nil && failed == nil {
			return fetch.Errorf(fetch.ErrDisk, "--report: %w", err)
		}
		return nil
	}}, nil
}

// checkLines formats a Result as text: the link and what is wrong with it, then the places that contain it.
func checkLines(r *check.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-13s %s", r.Verdict, render.Escape(r.Name()))
	if final := r.FinalName(); final != "" {
		b.WriteString(" -> " + render.Escape(final))
	}
	switch {
	case r.Suspect != "":
		b.WriteString(" (" + r.Suspect + ")")
	case r.Err != nil:
		b.WriteString(" (" + app.Class(r.Err) + ": " + render.Escape(withoutPath(r.Err)) + ")")
	}
	if r.Known {
		b.WriteString(" [known]")
	}
	b.WriteByte('\n')
	for _, p := range r.Places {
		fmt.Fprintf(&b, "    at %s", render.Escape(r.PlaceName(p)))
		if p.Text != "" {
			fmt.Fprintf(&b, " %q", p.Text)
		}
		b.WriteByte('\n')
	}
	if n := r.Count - len(r.Places); n > 0 {
		fmt.Fprintf(&b, "    and %d more\n", n)
	}
	return b.String()
}

// withoutPath returns the text of an error without the path of the file, which is that of the link.
func withoutPath(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return strings.Replace(err.Error(), at.Error(), at.Err.Error(), 1)
	}
	return err.Error()
}
