package retrieve

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// parseWriteOut parses the format of -w.
func (f *Flags) parseWriteOut(a *app.App) error {
	if f.writeOut == "" {
		return nil
	}
	text := f.writeOut
	if name, ok := strings.CutPrefix(text, "@"); ok {
		b, err := flags.ReadFile(name, a.Stdin, flags.MaxValue)
		if err != nil {
			return err
		}
		text = strings.NewReplacer("\r", "", "\n", "").Replace(string(b)) // as in curl: \n stands for a line end
	}
	t, err := render.ParseWriteOut(text, "exitcode")
	if err != nil {
		return flags.Usage("-w: " + err.Error())
	}
	for _, name := range t.Unknown() {
		fmt.Fprintf(a.Stderr, "deref: warning: -w: no such variable: %q; deref help formats lists them\n", render.Escape(name))
	}
	t.Errors = a.Stderr
	f.template = t
	return nil
}

// wantsSum reports whether the output includes the document's digest, which takes time to compute.
func (f *Flags) wantsSum() bool {
	return !f.head && (f.json && !f.links || f.template != nil && f.template.Wants("sha256"))
}

// reports reports whether --json or -w prints results.
func (f *Flags) reports() bool { return f.json || f.template != nil }

// report prints the result for --json and -w.
func (r *retrieval) report(failed error) error {
	if !r.flags.reports() {
		return nil
	}
	u, d := r.uri, r.result.Document
	if s, ok := r.schemes.Lookup(u.Scheme()); ok && s.Rules.SecretUser {
		u = u.WithoutUserinfo()
	}
	info := render.NewInfo(u, d, failed)
	info.Measure(d)
	info.Deviations = r.found.all()
	if r.flags.keep && r.result.Unchanged {
		r.state = "existing"
	}
	info.State = cmp.Or(r.state, info.State)
	r.page.describe(&info, failed)
	info.SHA256, info.Path, info.Time = r.result.SHA256, r.result.Path, r.took.Seconds()
	label, how := r.text.end()
	info.Charset, info.CharsetHow = label, string(how)
	if d != nil && !r.flags.head && r.page.document == nil {
		info.Size = &r.result.Size
	}
	info.Method = "GET"
	if r.flags.head {
		info.Method = "HEAD"
	}
	return r.print(info, failed)
}

// reportInvalid is report for an argument that is not a URI.
func (c *command) reportInvalid(said string, failed error) {
	if c.flags.reports() {
		info := render.NewInfo(uri.URI{}, nil, failed)
		info.URI = flags.MaskLogin(said)
		(&retrieval{command: c}).print(info, failed)
	}
}

// print writes the JSON object and the output of the template.
func (r *retrieval) print(info render.Info, failed error) error {
	if info.Error != nil {
		info.Error.Class = fetch.Kind(app.Class(failed)) // as on the error line
		info.Error.Hint = flags.Hint(info.Error.Hint)
	}
	verbatim := r.app.Verbatim()
	if r.slot != nil {
		verbatim = r.slot
	} else {
		r.output.Lock()
		defer r.output.Unlock()
	}
	if r.flags.json && (failed != nil || !r.flags.links) { // with --links each link is an object
		enc := json.NewEncoder(r.words())
		enc.SetEscapeHTML(false)
		if err := enc.Encode(info); err != nil {
			return err
		}
	}
	if r.flags.template == nil {
		return nil
	}
	return r.flags.template.Write(verbatim, info, map[string]string{"exitcode": strconv.Itoa(app.ExitCode(failed))})
}

// words returns standard output for text of the command itself.
func (r *retrieval) words() io.Writer {
	if r.slot != nil {
		return r.slot.words()
	}
	return r.app.Out()
}
