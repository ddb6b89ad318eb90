package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch/lint"
	"example.org/deref/fetch/render"
)

// lintFlags are the flags of the lint command.
type lintFlags struct {
	request.Flags
	request.TraceFlags
	json, junit, yes bool
}

func lintCommand(fs *pflag.FlagSet) action {
	var f lintFlags
	flags.AddSections(fs, append([]flags.Section{{Title: "What is tested, and what is reported", Add: func(fs *pflag.FlagSet) {
		fs.BoolVar(&f.yes, "yes", false, "test a server on another machine, too: it is yours, or you may test it")
		fs.BoolVar(&f.json, "json", false, "print the report as one JSON object")
		fs.BoolVar(&f.junit, "junit", false, "print a JUnit XML report for continuous-integration systems")
		f.TraceFlags.Add(fs)
	}}}, f.Flags.Sections()...))
	return f.run
}

func (f *lintFlags) run(ctx context.Context, a *app.App, args []string) (err error) {
	f.Cache = "" // a cache must not answer in place of the server
	c, o, u, err := f.Prepare(ctx, a, args[0])
	if err != nil {
		return err
	}
	defer c.Close()
	if !f.yes && !isLoopback(u.Hostname()) {
		return &flags.UsageError{Text: "the server is on another machine", Hint: "--yes if it is yours, or you may test it; it gets at most " + fmt.Sprint(lint.MaxRequests) + " requests"}
	}
	done, err := f.Traces(a, o, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	ctx, stop := terminal.Interruptible(ctx)
	defer stop()
	lo := &lint.Options{Request: o}
	if !f.json && !f.junit {
		lo.Done = func(ch lint.Check) { writeCheck(a.Out(), ch) }
	}
	r, err := lint.Run(ctx, c, u, lo)
	if err != nil && len(r.Checks) == 0 {
		return err
	}
	if err == nil && r.Findings > 0 {
		err = app.Printed(errors.New("the server deviates from its specification")) // exit status 1
	}
	return errors.Join(f.print(a, r), err)
}

// isLoopback reports whether the host is this machine by its address or its reserved name (RFC 6761 section 6.3). Other names are not looked up.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}

// print prints the report, or its summary if the checks were printed already.
func (f *lintFlags) print(a *app.App, r *lint.Report) error {
	switch {
	case f.junit:
		return r.WriteJUnit(a.Out())
	case f.json:
		enc := json.NewEncoder(a.Out())
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	passed, skipped := 0, 0
	for _, ch := range r.Checks {
		switch {
		case ch.Skipped != "":
			skipped++
		case len(ch.Findings) == 0:
			passed++
		}
	}
	_, err := fmt.Fprintf(a.Out(), "%d requests: %d findings, %d of %d checks passed, %d not made\n", r.Requests, r.Findings, passed, len(r.Checks), skipped)
	return err
}

// writeCheck prints one check as text.
func writeCheck(w io.Writer, ch lint.Check) {
	word := "ok"
	switch {
	case ch.Skipped != "":
		word = "-"
	case len(ch.Findings) > 0:
		word = "FAIL"
	}
	fmt.Fprintf(w, "%-4s  %s", word, ch.Name)
	if ch.Skipped != "" {
		fmt.Fprintf(w, " (not made: %s)", ch.Skipped)
	}
	fmt.Fprintln(w)
	if len(ch.Findings) == 0 {
		return
	}
	fmt.Fprintf(w, "        %s\n", render.Escape(ch.URI))
	for _, d := range ch.Findings {
		fmt.Fprintf(w, "        %s\n", render.Escape(d.String()))
	}
}
