package retrieve

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/retry"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

func (c *command) save(ctx context.Context, u uri.URI, req *fetch.Options, to place) (save.Result, error) {
	defer c.progress.start()()
	o, err := c.saving(ctx, u, req, to)
	if err != nil {
		return save.Result{}, err
	}
	var n entryCount
	answered, opened := c.waitFor(u, quietTime, c.app.Stderr), o.Opened
	defer answered()
	printed := false
	o.Opened = func(d *fetch.Document) error {
		printed = to.path == "-"
		answered()
		n.of(d)
		return opened(d)
	}
	get := func(u uri.URI, req *fetch.Options, o *save.Options) (save.Result, error) {
		if to.path == "-" {
			return save.File(ctx, retry.New(c.client, c.flags.policy()), u, req, o)
		}
		policy := c.flags.policy()
		policy.Whole = c.archive != nil
		return policy.File(ctx, c.client, u, req, o)
	}
	r, err := get(u, req, o)
	r, err = c.fromSources(u, req, o, r, err, &printed, get)
	if to.path != "-" {
		c.noteMissing(r)
		c.noteRepaired(r)
	}
	if err == nil {
		c.noteEmpty(u, req, r, o.View != nil, n)
	}
	c.noteReplaced(r, err)
	c.app.Warn(r.AttributesError)
	c.app.Warn(r.LostMetadata)
	if err == nil {
		err = refusalOf(r)
	}
	return r, c.flags.outcome(err, r)
}

// noteMissing notes how many pieces are missing in a file, which nothing else shows.
func (c *command) noteMissing(r save.Result) {
	if d := r.Document; d != nil && d.Missing > 0 && r.Path != "" && !c.flags.silent {
		c.progress.aside(func() {
			fmt.Fprintf(c.app.Stderr, "deref: note: %s: %d missing, skipped\n", render.Escape(r.Path), d.Missing)
		})
	}
}

// noteReplaced notes that -C could not continue a file: it is not the beginning of the document, or the server does not send parts.
func (c *command) noteReplaced(r save.Result, err error) {
	if err == nil && r.Restarted && r.Path != "" && !c.flags.silent {
		c.progress.aside(func() {
			fmt.Fprintf(c.app.Stderr, "deref: note: %s could not be continued; it was replaced by the whole document\n", render.Escape(r.Path))
		})
	}
}

// saving returns the options for saving the document at its place.
func (c *command) saving(ctx context.Context, u uri.URI, req *fetch.Options, to place) (*save.Options, error) {
	o := &save.Options{
		Dir: c.folder, Path: to.path, URI: u, Charset: c.charsetOf(u, req), ServerName: c.flags.serverName, CreateDirs: c.flags.createDirs, Force: c.flags.force,
		Resume: c.flags.resume == "-", Sync: c.flags.fsync, Sum: c.flags.wantsSum(), Times: c.flags.remoteTime, Attributes: c.flags.xattr,
	}
	var err error
	if o.From, err = c.flags.from(); err != nil {
		return nil, err
	}
	if err := c.verify(o, u); err != nil {
		return nil, err
	}
	err = c.show(ctx, o, req, to)
	c.progress.follow(o)
	return o, err
}

// outcome adds a hint to an error if part of the document was saved. The hint suggests to continue, except from an archive, which has no more.
func (f *Flags) outcome(err error, r save.Result) error {
	if errors.Is(err, errTooNew) {
		return nil
	}
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || e.Hint != "" || r.Part == "" {
		return err
	}
	hinted := *e
	if hinted.Hint = "the part that has arrived is in " + r.Part; len(f.FromWarc) == 0 {
		hinted.Hint += "; -C - continues there"
	}
	return &hinted
}

// from returns the offset of -C N.
func (f *Flags) from() (int64, error) {
	if f.resume == "" || f.resume == "-" {
		return 0, nil
	}
	n, err := strconv.ParseUint(f.resume, 10, 62)
	if err != nil {
		return 0, flags.Usage(fmt.Sprintf("-C %s: must be a number or -", f.resume))
	}
	return int64(n), nil
}
