package ftp

import (
	"slices"
	"strconv"
	"time"

	"github.com/jlaffaye/ftp"

	"example.org/deref/fetch"
)

// The media type of a directory's raw listing in any dialect, and why it is known.
const (
	listingType     = "text/ftp-dir-listing"
	directoryReason = "a directory"
)

// file retrieves a file. If RETR shows that there is no such file, it lists a directory.
func (r *retrieval) file(prepare, transfer []fetch.Step) (*fetch.Document, error) {
	err := r.transfer(prepare, transfer)
	if noFile(err) { // "if that fails, to attempt the official sequence": RFC 1630
		if prepare, transfer := split(r.plan.When(ifDirect)); len(prepare) > 0 {
			err = r.transfer(prepare, transfer)
		}
	}
	if err == nil && r.size >= 0 && r.offset > r.size { // QUIRK: vsftpd sends an empty file where others answer 554
		r.env.Deviates("RFC 3659 section 5.3", "the reply to RETR", "%d instead of a refusal after a REST beyond the end of the file", r.s.ctl.last.code)
		r.document().Body.Close()
		return nil, r.beyondEnd(nil)
	}
	if err == nil {
		return r.document(), nil
	}
	if !noFile(err) {
		return nil, r.badOffset(err)
	}
	if r.offset > 0 || r.req.rng.To > 0 {
		return nil, r.beyondEnd(err)
	}
	return r.asDirectory(err)
}

// transfer carries out the steps up to the beginning of the transfer.
func (r *retrieval) transfer(prepare, transfer []fetch.Step) error {
	for {
		next, err := r.withKnownMode(transfer)
		if err != nil {
			return err
		}
		err = r.carryOut(append(prepare[:len(prepare):len(prepare)], next...))
		if !r.isBusyPort(err) || !r.mayRetryBusyPort() {
			return err
		}
		prepare = nil
	}
}

// noFile reports whether RETR was refused with a code that servers send for a directory or a missing file.
func noFile(err error) bool {
	no := refused(err)
	if no == nil || no.step.Verb != "RETR" {
		return false
	}
	switch no.reply.code {
	case ftp.StatusFileUnavailable, ftp.StatusBadFileName, ftp.StatusBadArguments, ftp.StatusFileActionIgnored, ftp.StatusActionAborted:
		return true
	}
	return false
}

// beyondEnd distinguishes a range after the end of a file from a path that is not a file.
func (r *retrieval) beyondEnd(err error) error {
	if r.size >= 0 && r.offset > r.size {
		return fetch.Errorf(fetch.ErrRange, "offset %d is after the end of the file: %d bytes", r.offset, r.size)
	}
	return err
}

// badOffset recognizes a RETR that was refused for its REST: 554 means that the offset is wrong (RFC 1123 section 4.1.3.4).
func (r *retrieval) badOffset(err error) error {
	if no := refused(err); no != nil && r.offset > 0 && no.step.Verb == "RETR" && no.reply.code == 554 {
		return fetch.Errorf(fetch.ErrRange, "%w", err)
	}
	return err
}

// asDirectory lists the path as a directory after RETR has failed. If it is not a directory either, it returns the first refusal. If SIZE
// knows the file, it exists and may not be read.
func (r *retrieval) asDirectory(why error) (*fetch.Document, error) {
	prepare, transfer := split(r.plan.When(ifDirectory))
	if err := r.carryOut(prepare[:1]); err != nil {
		if refused(err) == nil || !r.s.ctl.idle() {
			return nil, err
		}
		if e := refused(why); r.size >= 0 && fetch.KindOf(why) == fetch.ErrNotFound && !missing(e.reply.text) {
			return nil, &fetch.Error{Kind: fetch.ErrRefused, Text: why.Error(), Err: e}
		}
		return nil, why
	}
	return r.list(prepare[1:], transfer)
}

// list lists the directory that is current after prepare.
func (r *retrieval) list(prepare, transfer []fetch.Step) (*fetch.Document, error) {
	prepare, err := r.probeMLSD(prepare)
	if err != nil {
		return nil, err
	}
	if !r.s.utf8 && r.env.Peer().Get(withUTF8) != nil {
		prepare = append(prepare[:len(prepare):len(prepare)], r.plan.When(ifUTF8)...)
	}
	err = r.transfer(prepare, append(transfer[:1:1], r.listCommand()...))
	if no := refused(err); no != nil && no.step.Verb == "MLSD" && r.s.ctl.idle() {
		if notImplemented(no.reply.code) {
			r.env.Peer().Set(noMLSD, true)
		}
		err = r.transfer(nil, r.plan.When(ifNoMLSD))
	}
	switch no := refused(err); {
	case no != nil && transfers(no.step.Verb) && has(no.reply.text, "no files", "empty") && r.s.ctl.idle():
		r.env.Deviates("RFC 959 section 5.4", "the reply to "+no.step.Verb, "%d for an empty directory", no.reply.code)
		return r.emptyListing(), nil // QUIRK: some servers refuse to list an empty directory
	case err != nil:
		return nil, err
	}
	return r.listing(), nil
}

// probeMLSD finds out whether the server offers MLSD. If that is known, it only removes FEAT, and all steps go into one pipeline.
func (r *retrieval) probeMLSD(prepare []fetch.Step) (rest []fetch.Step, err error) {
	for _, fact := range [...]string{noMLSD, withoutMLSD, withMLSD} {
		if r.env.Peer().Get(fact) != nil {
			r.mlsd = fact
			return slices.DeleteFunc(slices.Clone(prepare), func(s fetch.Step) bool { return s.Verb == "FEAT" }), nil
		}
	}
	return nil, r.carryOut(prepare)
}

func (r *retrieval) listCommand() []fetch.Step {
	if r.mlsd == withMLSD {
		return r.plan.When(ifMLST)
	}
	return r.plan.When(ifNoMLST)
}

// document returns the file whose transfer has begun.
func (r *retrieval) document() *fetch.Document {
	b := &body{retrieval: r, want: -1, limit: -1, announced: -1}
	if !r.req.ascii {
		b.expect(r.size, r.offset, r.req.rng)
		if r.size < 0 && r.offset == 0 {
			b.announced = announced(r.s.ctl.last.text)
		}
	}
	d := fetch.NewDocument(b)
	if r.req.ascii {
		d.Body = newText(b, r.env)
	}
	r.describe(d)
	d.Offset, d.End = r.offset, fetch.EndTerminated
	if b.want >= 0 {
		d.End = fetch.EndDeclared
	}
	return d
}

// describe sets the Document's fields that are known about a file.
func (r *retrieval) describe(d *fetch.Document) {
	d.Type, d.TypeReason = r.mediaType, r.typeReason
	if d.Type == "" {
		d.Type, d.TypeReason = "application/octet-stream", "no known suffix"
	}
	d.Validator = r.validator()
	d.SetModified(r.modified, time.Second) // MDTM: RFC 3659 section 2.3, UTC
	if !r.req.ascii {
		d.Size = r.size
	}
	d.Header.Set("Content-Type", d.Type)
	if d.Size >= 0 {
		d.Header.Set("Content-Length", strconv.FormatInt(d.Size, 10))
	}
	if !d.Modified.IsZero() {
		d.Header.Set("Last-Modified", d.Modified.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"))
	}
	if r.sum.Sum != nil {
		d.Header.Set("Repr-Digest", digestField(r.sum))
	}
}

// notModified returns the Document for an unchanged Options.IfChanged.
func (r *retrieval) notModified() *fetch.Document {
	d := fetch.NewDocument(nil)
	r.describe(d)
	d.NotModified = true
	r.finish()
	return d
}

// metadata returns what the server knows about the object, without a transfer.
func (r *retrieval) metadata(prepare []fetch.Step) (*fetch.Document, error) {
	if err := r.carryOut(prepare); err != nil {
		return nil, err
	}
	d := fetch.NewDocument(nil)
	switch {
	case r.req.isDirectory() || r.size >= 0 || r.timeVal != "":
		r.describe(d)
	default:
		if err := r.carryOut(r.plan.When(ifNoSize)); err != nil {
			if no := r.refusal; refused(err) != nil && no != nil && no.reply.code == ftp.StatusFileUnavailable && !fetch.IsGone(err) {
				err = fail(no) // QUIRK: pure-ftpd's "Can't check for file existence" says less than its reply to CWD
			}
			return nil, err
		}
		r.mediaType, r.typeReason = listingType, directoryReason
		r.describe(d)
	}
	r.finish()
	return d, nil
}
