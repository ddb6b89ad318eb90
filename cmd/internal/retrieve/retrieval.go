package retrieve

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/checksum"
	"example.org/deref/fetch/portal"
	"example.org/deref/fetch/retry"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// A retrieval dereferences one URI, alone or as one of many: it saves or prints the document, with notes, warnings and a report.
type retrieval struct {
	*command
	ctx     context.Context
	uri     uri.URI // the selected link with --link
	request *fetch.Options
	check   *checksum.File // what a list states about the document, or nil
	path    string         // as placeOf returns it
	asked   bool           // -o has chosen the path, so binary data may go to a terminal
	slot    *slot          // the part of standard output, for one of several
	item    *batch.Item    // that is tried again after a failure; nil if the retrieval itself does that

	saving   save.Options
	onOpened func(*fetch.Document) error // opened
	answered func()                      // stops the note about a silent server
	state    string                      // for --json: why there is no document
	printed  bool                        // the document began to go to standard output
	entries  int                         // of a listing, that a view has shown
	text     textCharset
	page     refusal // for --json
	found    deviations
	result   save.Result
	took     time.Duration
}

// A textCharset is the charset of a document's text, and how it was found.
type textCharset struct {
	label string
	how   charset.How
	later func() (label string, how charset.How) // asked at the end, if no view has found it
}

func (f *textCharset) set(label string, how charset.How) { f.label, f.how = label, how }

// end returns the charset after the document was read.
func (f *textCharset) end() (label string, how charset.How) {
	if f.label == "" && f.later != nil {
		f.set(f.later())
	}
	return f.label, f.how
}

// retrieval returns the retrieval of an item: the memory of one that is done, or a new one.
func (c *command) retrieval(ctx context.Context, it *batch.Item) *retrieval {
	r, ok := c.done.Get().(*retrieval)
	if !ok {
		r = &retrieval{}
		r.onOpened = r.opened
	}
	*r = retrieval{command: c, ctx: ctx, uri: it.URI, request: it.Request(c.options), check: it.Check, onOpened: r.onOpened}
	r.path, r.asked = c.placeOf(it)
	return r
}

// dereference follows --link, saves or prints the document, and prints notes and warnings about it. The caller reports the result.
func (r *retrieval) dereference() error {
	if r.flags.link > 0 {
		if err := r.followLink(); err != nil {
			return err
		}
	}
	start := time.Now()
	r.watch()
	err := r.save()
	r.noteGuess()
	r.took = time.Since(start)
	return err
}

// save saves or prints the document.
func (r *retrieval) save() error {
	o, err := r.saveOptions()
	if err != nil {
		return err
	}
	r.answered = r.waitFor(r.uri, quietTime, r.app.Stderr)
	defer r.answered()
	had := r.replacedType(o)
	policy := r.flags.policy()
	if r.item == nil {
		r.result, err = r.transfer(r.uri, r.request, o, policy)
	} else {
		r.result, err = r.tryItem(o)
		policy = retry.Policy{}
	}
	err = r.trySources(o, policy, err)
	r.noteResult(o, err)
	if d := r.result.Document; err == nil && d != nil && d.Refusal != nil {
		err = d.Refusal
	}
	if err = r.flags.outcome(err, r.result); err == nil && r.item != nil {
		if why := portal.Suspect(r.uri, r.result.Document, had); why != "" {
			r.warn(errors.New(why))
		}
	}
	return err
}

// transfer saves the document of u, and retries that as the policy says.
func (r *retrieval) transfer(u uri.URI, req *fetch.Options, o *save.Options, policy retry.Policy) (save.Result, error) {
	if o.Path == "-" {
		return save.File(r.ctx, retry.New(r.client, policy), u, req, o)
	}
	policy.Whole = r.archive != nil
	return policy.File(r.ctx, r.client, u, req, o)
}

// tryItem makes one try. A document for standard output is continued after a failure.
func (r *retrieval) tryItem(o *save.Options) (save.Result, error) {
	if o.Path == "-" {
		return save.File(r.ctx, retry.Bodies(r.client, r.item.Left(r.flags.policy())), r.uri, r.request, o)
	}
	r.item.Whole = r.archive != nil
	return batch.Save(r.ctx, r.client, r.item, r.request, o)
}

// saveOptions returns the options for saving the document.
func (r *retrieval) saveOptions() (*save.Options, error) {
	f := r.flags
	o := &r.saving
	*o = save.Options{
		Dir: r.folder, Path: r.path, URI: r.uri, Charset: r.charsetOf(r.uri, r.request), ServerName: f.serverName, CreateDirs: f.createDirs, Force: f.force, Keep: f.keep,
		Resume: f.resume == "-", Sync: f.fsync, Sum: f.wantsSum(), Times: f.remoteTime,
	}
	var err error
	if o.From, err = f.from(); err != nil {
		return nil, err
	}
	if err := r.verify(o); err != nil {
		return nil, err
	}
	err = r.show(o)
	r.progress.follow(o)
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
