package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/tofu"
	"example.org/deref/schemes"
	"example.org/deref/schemes/mail"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

func demoCommand(*pflag.FlagSet) action {
	return func(ctx context.Context, a *app.App, _ []string) error {
		ctx, stop := terminal.Interruptible(ctx)
		defer stop()
		site := testdata.Site()
		list, err := testservers.Start(site, 0, nil)
		if err != nil {
			return err
		}
		defer testservers.Stop(list)
		documents, done, err := testservers.Documents(site, list)
		if err != nil {
			return err
		}
		defer done()
		messages, err := testservers.MailDocuments(site)
		if err != nil {
			return err
		}
		c := fetch.New(schemes.All(testservers.MailConfig(list))...)
		defer c.Close()
		c.FirstUse = new(tofu.Store).Check // the servers are our own
		return errors.Join(showDocuments(ctx, a, c, append(documents, messages...)), showSend(ctx, a), showChain(ctx, a, site, list))
	}
}

// showDocuments dereferences each document and prints two lines of at most 80 columns: the result, and the first commands.
func showDocuments(ctx context.Context, a *app.App, c *fetch.Client, documents []testservers.Document) error {
	var first error
	good := 0
	row := func(scheme, size, took, name, more string) {
		fmt.Fprintf(a.Out(), "%-8s %8s %8s  %s\n", scheme, size, took, displaywidth.TruncateString(name, demoWidth-28, "..."))
		if more != "" {
			fmt.Fprintf(a.Out(), "%9s%s\n", "", more)
		}
	}
	row("SCHEME", "BYTES", "TIME", "URI, and the first commands", "")
	for _, s := range documents {
		u, err := uri.Parse(s.URI)
		if err != nil {
			return err
		}
		start := time.Now()
		n, err := testservers.Fetch(ctx, c, u, s)
		took, name := time.Since(start).Round(100*time.Microsecond).String(), c.Schemes.Redact(u)
		if err != nil {
			row(u.Scheme(), "-", took, name, app.Class(err)+": "+render.Escape(err.Error()))
			first = cmp.Or(first, err)
			continue
		}
		good++
		row(u.Scheme(), fmt.Sprint(n), took, name, firstCommands(c, u, s.Options))
	}
	fmt.Fprintf(a.Out(), "%d of %d documents match the site\n", good, len(documents))
	return app.Printed(first)
}

// demoWidth is the width of the smallest usual terminal.
const demoWidth = 80

func firstCommands(c *fetch.Client, u uri.URI, o *fetch.Options) string {
	p, err := c.Plan(u, o)
	if err != nil {
		return ""
	}
	words := []string{}
	for _, s := range p.When("") {
		if words = append(words, render.Escape(render.Step(s))); len(words) == 4 {
			break
		}
	}
	return displaywidth.TruncateString(strings.Join(words, " · "), demoWidth-9, "...")
}

// showSend sends a message to a local server, and checks what has arrived.
func showSend(ctx context.Context, a *app.App) error {
	box, err := mailtest.ListenSMTP(nil)
	if err != nil {
		return err
	}
	defer box.Close()
	c := fetch.New(schemes.All(&schemes.Config{Mail: &mail.Config{Submission: box.URL, From: "reader@site.example"}})...)
	defer c.Close()
	u := uri.MustParse("mailto:tim@site.example?subject=a%20message&body=one%0D%0A.%0D%0A")
	r, err := c.Send(ctx, u, nil, nil)
	if err != nil {
		return err
	}
	list := box.Messages()
	if len(list) != 1 || !strings.Contains(list[0].Text, "Subject: a message\r\n") || !strings.HasSuffix(list[0].Text, "\r\n\r\none\r\n.\r\n\r\n") {
		return fetch.Errorf(fetch.ErrChanged, "the message that arrived is not the one that was sent")
	}
	fmt.Fprintf(a.Out(), "a message: %s\n  accepted for %s, and arrived: %d bytes\n", u, render.Escape(strings.Join(r.Accepted, ", ")), len(list[0].Text))
	return nil
}
