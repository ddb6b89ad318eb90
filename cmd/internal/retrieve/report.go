package retrieve

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	hinting "example.org/deref/cmd/internal/hint"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/save"
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

// report prints a result for --json and -w.
func (c *command) report(to place, u uri.URI, r save.Result, found *deviations, failed error, took time.Duration) error {
	if !c.flags.json && c.flags.template == nil {
		return nil
	}
	if s, ok := c.schemes.Lookup(u.Scheme()); ok && s.Rules.SecretUser {
		u = u.WithoutUserinfo()
	}
	info := render.NewInfo(u, r.Document, failed)
	info.Measure(r.Document)
	info.Deviations = found.all()
	to.page.describe(&info, failed)
	info.SHA256, info.Path, info.Time = r.SHA256, r.Path, took.Seconds()
	if to.text != nil {
		label, how := to.text.end()
		info.Charset, info.CharsetHow = label, string(how)
	}
	if r.Document != nil && !c.flags.head && to.page.isEmpty() {
		info.Size = &r.Size
	}
	info.Method = "GET"
	if c.flags.head {
		info.Method = "HEAD"
	}
	return c.print(to, info, failed)
}

// reportInvalid is report for an argument that is not a URI.
func (c *command) reportInvalid(said string, failed error) error {
	if !c.flags.json && c.flags.template == nil {
		return nil
	}
	info := render.NewInfo(uri.URI{}, nil, failed)
	info.URI = flags.MaskLogin(said)
	return c.print(place{}, info, failed)
}

// print writes the JSON object and the output of the template.
func (c *command) print(to place, info render.Info, failed error) error {
	if info.Error != nil {
		info.Error.Class = fetch.Kind(app.Class(failed)) // as on the error line
		info.Error.Hint = hinting.Text(info.Error.Hint)
	}
	var words, verbatim io.Writer = c.app.Out(), c.app.Verbatim()
	if to.slot != nil {
		words, verbatim = to.slot.words(), to.slot
	} else {
		c.output.Lock()
		defer c.output.Unlock()
	}
	if c.flags.json && (failed != nil || !c.flags.links) { // with --links each link is an object
		enc := json.NewEncoder(words)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(info); err != nil {
			return err
		}
	}
	if c.flags.template == nil {
		return nil
	}
	return c.flags.template.Write(verbatim, info, map[string]string{"exitcode": strconv.Itoa(app.ExitCode(failed))})
}
