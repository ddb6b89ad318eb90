package ftp

import (
	"slices"
	"strconv"

	"example.org/deref/fetch"
)

// listingType is the media type of a folder's raw listing, whatever its dialect.
const listingType = "text/ftp-dir-listing"

// file asks for a file, and for a folder where RETR shows that there is no such file.
func (r *run) file(ask, move []fetch.Step) (*fetch.Document, error) {
	err := r.ask(ask, move)
	if r.w.direct() && noFile(err) {
		if err = r.direct(err); err == nil {
			return r.document(), nil
		}
	}
	if err == nil && r.size >= 0 && r.offset > r.size { // QUIRK: vsftpd begins to send nothing, where others answer 554
		r.document().Body.Close()
		return nil, r.outside(nil)
	}
	if err == nil {
		return r.document(), nil
	}
	if !noFile(err) {
		return nil, r.behind(err)
	}
	if r.offset > 0 || r.w.rng.To > 0 {
		return nil, r.outside(err)
	}
	return r.instead(err)
}

// ask says the steps up to the transfer.
func (r *run) ask(ask, move []fetch.Step) error {
	for {
		next, err := r.arranged(move)
		if err != nil {
			return err
		}
		err = r.say(append(ask[:len(ask):len(ask)], next...))
		if !r.isBusyPort(err) || !r.anotherPort() {
			return err
		}
		ask = nil
	}
}

// direct goes the official way where the direct one has failed ("if that fails, to attempt the official sequence": RFC 1630).
func (r *run) direct(err error) error {
	ask, move := cut(r.plan.When(ifDirect))
	if len(ask) == 0 {
		return err
	}
	return r.ask(ask, move)
}

// noFile reports whether RETR was refused in the way that it is for a folder, and for what is not there.
func noFile(err error) bool {
	no := refused(err)
	if no == nil || no.step.Verb != "RETR" {
		return false
	}
	switch no.reply.code {
	case 550, 553, 501, 450, 451:
		return true
	}
	return false
}

// outside tells a part behind the end from what is no file at all.
func (r *run) outside(err error) error {
	if r.size >= 0 && r.offset > r.size {
		return fetch.Errorf(fetch.ErrRange, "the file has %d octets, so none from %d on", r.size, r.offset)
	}
	return err
}

// behind tells a refused RETR behind a REST: 554 says that the offset is wrong (RFC 3659 §5.4).
func (r *run) behind(err error) error {
	if no := refused(err); no != nil && r.offset > 0 && no.step.Verb == "RETR" && no.reply.code == 554 {
		return fetch.Errorf(fetch.ErrRange, "%w", err)
	}
	return err
}

// instead lists what is no file as a folder. Where it is none either, the first refusal is the answer; that SIZE knows the file
// says that it is there and may not be read.
func (r *run) instead(why error) (*fetch.Document, error) {
	steps := r.plan.When(ifFolder)
	ask, move := cut(steps)
	if err := r.say(ask[:1]); err != nil {
		if refused(err) == nil || !r.s.ctl.atRest() {
			return nil, err
		}
		if e := refused(why); r.size >= 0 && fetch.KindOf(why) == fetch.ErrNotFound && !missing(e.reply.text) {
			return nil, &fetch.Error{Kind: fetch.ErrRefused, Text: why.Error(), Err: e}
		}
		return nil, why
	}
	return r.list(ask[1:], move)
}

// list lists the folder that the session stands in, or will after ask.
func (r *run) list(ask, move []fetch.Step) (*fetch.Document, error) {
	ask, err := r.offered(ask)
	if err != nil {
		return nil, err
	}
	err = r.ask(ask, append(setupOf(move), r.lister()...))
	if no := refused(err); no != nil && no.step.Verb == "MLSD" && r.s.ctl.atRest() {
		if c := no.reply.code; c == 500 || c == 502 || c == 504 {
			r.env.Learn(noMLSD)
		}
		err = r.ask(nil, r.plan.When(ifNoMLSD))
	}
	switch no := refused(err); {
	case no != nil && transfers(no.step.Verb) && has(no.reply.text, "no files", "empty") && r.s.ctl.atRest():
		return r.emptyListing(), nil // QUIRK: some servers refuse to list an empty folder
	case err != nil:
		return nil, err
	}
	return r.listing(), nil
}

// offered finds out whether MLSD is offered, unless that is known: then FEAT is left out, and all goes into one flight.
func (r *run) offered(ask []fetch.Step) (rest []fetch.Step, err error) {
	for _, fact := range [...]string{noMLSD, withoutMLSD, withMLSD} {
		if r.env.Knows(fact) {
			r.mlsd = fact
			return slices.DeleteFunc(slices.Clone(ask), func(s fetch.Step) bool { return s.Verb == "FEAT" }), nil
		}
	}
	return nil, r.say(ask)
}

// lister is the command for the listing.
func (r *run) lister() []fetch.Step {
	if r.mlsd == withMLSD {
		return r.plan.When(ifMLST)
	}
	return r.plan.When(ifNoMLST)
}

// setupOf is the first step of a transfer; QUIT may follow it in the plan.
func setupOf(move []fetch.Step) []fetch.Step { return move[:min(1, len(move)):min(1, len(move))] }

// document is the file that is coming.
func (r *run) document() *fetch.Document {
	b := &body{run: r, want: -1, limit: -1, announced: -1}
	if !r.w.ascii {
		b.expect(r.size, r.offset, r.w.rng)
		if r.size < 0 && r.offset == 0 {
			b.announced = announced(r.s.ctl.last.text)
		}
	}
	d := fetch.NewDocument(b)
	if r.w.ascii {
		d.Body = &text{in: b}
	}
	r.describe(d)
	d.Offset, d.End = r.offset, fetch.EndTerminated
	if b.want >= 0 {
		d.End = fetch.EndDeclared
	}
	return d
}

// describe fills in what is known of a file.
func (r *run) describe(d *fetch.Document) {
	d.Type, d.TypeReason = r.w.media, r.w.reason
	if d.Type == "" {
		d.Type, d.TypeReason = "application/octet-stream", "no suffix that is known"
	}
	d.Validator, d.Modified = r.validator(), r.modified
	if !r.w.ascii {
		d.Size = r.size
	}
	values := [3]string{d.Type}
	d.Header["Content-Type"] = values[:1:1]
	if d.Size >= 0 {
		values[1] = strconv.FormatInt(d.Size, 10)
		d.Header["Content-Length"] = values[1:2:2]
	}
	if !d.Modified.IsZero() {
		values[2] = d.Modified.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
		d.Header["Last-Modified"] = values[2:3:3]
	}
}

// notModified is the answer to Options.IfChanged.
func (r *run) notModified() *fetch.Document {
	d := fetch.NewDocument(nil)
	r.describe(d)
	d.NotModified = true
	r.finish()
	return d
}

// metadata asks what is known about the object, without it.
func (r *run) metadata(ask []fetch.Step) (*fetch.Document, error) {
	if err := r.say(ask); err != nil {
		return nil, err
	}
	d := fetch.NewDocument(nil)
	switch {
	case r.w.folder():
		r.describe(d)
	case r.size >= 0 || r.stamp != "":
		r.describe(d)
	default:
		if err := r.say(r.plan.When(ifNoSize)); err != nil {
			if no := r.unsized; refused(err) != nil && no != nil && no.reply.code == 550 && !fetch.IsGone(err) {
				err = fail(no) // QUIRK: pure-ftpd's "Can't check for file existence" says less than its reply to CWD
			}
			return nil, err
		}
		r.w.media, r.w.reason = listingType, "a folder"
		r.describe(d)
	}
	r.finish()
	return d, nil
}
