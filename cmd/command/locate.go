package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

func locateCommand(fs *pflag.FlagSet) action {
	var f request.Flags
	f.Add(fs)
	return func(ctx context.Context, a *app.App, args []string) error {
		c, o, ts, err := f.PrepareAll(ctx, a, args)
		if err != nil {
			return err
		}
		defer c.Close()
		c.Policy.NoFollow = true
		l := &locator{client: c, options: o, out: a.Out(), most: f.MaxRedirs}
		var first error
		for _, t := range ts {
			err := t.Err
			if err == nil {
				l.line(0, t.URI, "")
				l.followed = 0
				err = l.locate(ctx, t.URI, 1)
			}
			if err != nil {
				a.PrintError(t.Subject(c.Schemes, len(ts)), err)
				first = cmp.Or(first, err)
			}
		}
		return errors.Join(app.Printed(first), f.SaveCookies(a))
	}
}

// A locator follows names to the end of the chain. It prints all candidates of each name, and follows the first one that succeeds.
type locator struct {
	client  *fetch.Client
	options *fetch.Options
	out     io.Writer
	most    int // referrals that may be followed from one URI

	followed int // of the URI
}

func (l *locator) line(depth int, u uri.URI, reason string) {
	if reason != "" {
		reason = "  (" + reason + ")"
	}
	fmt.Fprintf(l.out, "%s%s%s\n", strings.Repeat("  ", depth), render.Escape(l.client.Schemes.Redact(u)), render.Escape(reason))
}

// locate prints what u refers to, recursively. It does not retrieve the end of the chain.
func (l *locator) locate(ctx context.Context, u uri.URI, depth int) error {
	list, err := l.referrals(ctx, u)
	if err != nil || len(list) == 0 {
		return err
	}
	for _, r := range list {
		l.line(depth, r.URI, r.Reason)
	}
	var first error
	for _, r := range list {
		if l.followed == l.most {
			return &fetch.Error{Kind: fetch.ErrRedirect, Text: fmt.Sprintf("more than %d referrals", l.most), Hint: hint.MaxReferrals}
		}
		if err = l.client.CheckReferral(u, r); err == nil {
			l.followed++
			err = l.locate(ctx, r.URI, depth+1)
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
		first = cmp.Or(first, err)
	}
	return first
}

// referrals returns what u refers to. The Plan of a name contains its referrals. Directory servers and programs are queried. For other
// schemes that may refer to other URIs, only the metadata is requested, so that no document is fetched.
func (l *locator) referrals(ctx context.Context, u uri.URI) ([]fetch.Referral, error) {
	p, err := l.client.Plan(u, l.options)
	if err != nil {
		return nil, err
	}
	if len(p.Refers) > 0 {
		return p.Refers, nil
	}
	if s, _ := l.client.Schemes.Lookup(u.Scheme()); !s.Does.Refers {
		return nil, nil
	}
	o := *l.options
	if p.Shape != fetch.ShapeReferral && p.Network != "exec" {
		o.Op = fetch.Metadata
	}
	d, err := l.client.Get(ctx, u, &o)
	if d == nil {
		return nil, err
	}
	defer d.Body.Close()
	return d.Referrals, err
}
