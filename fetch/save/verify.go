package save

import (
	"cmp"
	"encoding/hex"
	"errors"
	"io"
	"os"

	"example.org/deref/fetch"
	"example.org/deref/fetch/checksum"
)

// A checkedBody passes a document through a Verifier. Its end is an error if the document is not the one that was stated.
type checkedBody struct {
	io.ReadCloser
	verifier *checksum.Verifier
	err      error // the final error
}

func (b *checkedBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.ReadCloser.Read(p)
	b.verifier.Write(p[:n])
	if err == io.EOF {
		err = cmp.Or(mismatch(b.verifier.Finish()), io.EOF)
	}
	b.err = err
	return n, err
}

// mismatch returns the *fetch.Error for a *checksum.Mismatch.
func mismatch(err error) error {
	if err == nil {
		return nil
	}
	return &fetch.Error{Kind: fetch.ErrChanged, Text: "not the file that was stated: " + err.Error(), Err: err}
}

// damageOf returns the mismatch that err reports, or nil.
func damageOf(err error) *checksum.Mismatch {
	m, _ := errors.AsType[*checksum.Mismatch](err)
	return m
}

// accept calls Options.Opened after verify, so that views and other readers get the wrapped Body.
func (j *job) accept(d *fetch.Document, old *oldFile) error {
	if err := j.verify(d, old); err != nil || j.options.Opened == nil {
		return err
	}
	return j.options.Opened(d)
}

// verify wraps d's Body if the document must match a checksum. old is what d continues, or nil.
func (j *job) verify(d *fetch.Document, old *oldFile) error {
	want, err := j.wanted(d)
	if want == nil || err != nil {
		return err
	}
	if want.Size >= 0 && d.Size >= 0 && d.Size != want.Size && !d.NotModified {
		return mismatch(&checksum.Mismatch{Size: d.Size, WantSize: want.Size})
	}
	v, err := want.Verifier()
	if err != nil {
		return fetch.Errorf(fetch.ErrUnsupported, "cannot verify: %w", err)
	}
	if old != nil {
		if _, err := io.Copy(v, io.NewSectionReader(old.file, 0, old.size)); err != nil {
			return LocalError(err)
		}
	}
	j.want = want
	j.checked = &checkedBody{ReadCloser: d.Body, verifier: v}
	d.Body = j.checked
	return nil
}

// wanted returns what the document must match, nil for nothing.
func (j *job) wanted(d *fetch.Document) (*checksum.File, error) {
	if !j.options.CheckStated {
		return j.options.Check, nil
	}
	f := &checksum.File{Size: -1}
	for _, name := range [...]string{"Repr-Digest", "Digest"} {
		for _, digest := range checksum.Field(name, d.Header[name]) {
			if !digest.Algorithm.IsWeak() {
				f.Digests = append(f.Digests, digest)
			}
		}
	}
	switch {
	case len(f.Digests) > 0:
		return f, nil
	case d.NotModified: // there is no document, and a 304 need not state anything
		return nil, nil
	}
	return nil, fetch.Errorf(fetch.ErrUnsupported, "the server states no digest of the document (Repr-Digest, Digest, XSHA256 or HASH by SHA-2)")
}

// readRest reads what a view, or whoever has replaced the Body, has left unread, and returns the result of the verification.
func (j *job) readRest() error {
	if j.checked == nil {
		return nil
	}
	_, err := io.Copy(io.Discard, j.checked)
	return err
}

// knownSum returns the SHA-256 of a document if it was computed for its verification.
func (j *job) knownSum() string {
	if j.checked == nil || j.checked.err != io.EOF {
		return ""
	}
	if d, ok := j.checked.verifier.Sum(); ok && d.Algorithm == checksum.SHA256 {
		return hex.EncodeToString(d.Sum)
	}
	return ""
}

// verifyOld verifies the file at NAME, which the server reports to be unchanged.
func (j *job) verifyOld() error {
	if j.want == nil || j.target.name == "" {
		return nil
	}
	f, err := j.openRegular(j.target.name, os.O_RDONLY)
	if f == nil {
		return err
	}
	defer f.Close()
	return j.verifyFile(f)
}

func (j *job) verifyFile(f *os.File) error {
	v, err := j.want.Verifier()
	if err != nil {
		return fetch.Errorf(fetch.ErrUnsupported, "cannot verify: %w", err)
	}
	if _, err := io.Copy(v, io.NewSectionReader(f, 0, 1<<62)); err != nil {
		return LocalError(err)
	}
	return mismatch(v.Finish())
}

// maxDamage bounds the parts that are fetched again.
const maxDamage = 64

// repair fetches the damaged parts of a complete file again, and verifies the whole of it. It returns cause, the mismatch that was found, if it
// cannot do so or the server sends the same bytes again.
func (s *staged) repair(cause error) error {
	j, m := s.job, damageOf(cause)
	if m == nil || m.Good == 0 || len(m.Damaged) > maxDamage || j.client == nil || s.size != j.want.Size {
		return cause
	}
	for _, part := range m.Damaged {
		if err := s.fetchPart(part); err != nil {
			return cmp.Or(j.ctx.Err(), cause)
		}
	}
	if err := j.verifyFile(s.file); err != nil {
		return err
	}
	j.checked, j.result.Repaired = nil, m.Damaged
	return nil
}

// fetchPart overwrites a part of the file with that of the server's document.
func (s *staged) fetchPart(part checksum.Range) error {
	j := s.job
	d, err := j.fetch(j.optionsFor(fetch.Range{From: part.From, To: part.To}, fetch.Validator{}))
	if err != nil {
		return err
	}
	defer d.Body.Close()
	if d.Offset != part.From {
		return fetch.Errorf(fetch.ErrRange, "got bytes from offset %d", d.Offset)
	}
	n, err := io.Copy(io.NewOffsetWriter(s.file, part.From), io.LimitReader(d.Body, part.To-part.From))
	if err == nil && n < part.To-part.From {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// abandonDamaged ends a save whose file does not match. NAME.part stays if some of its pieces do: another try, perhaps with another server, can
// repair it.
func (s *staged) abandonDamaged(cause error) error {
	if m := damageOf(cause); s.part && m != nil && m.Good > 0 && s.size == s.job.want.Size {
		s.leave()
	} else {
		s.remove()
	}
	return cause
}
