package http

import (
	"bufio"
	"compress/flate"
	"compress/zlib"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/unlzw"
)

// Bounds of what a coding may blow up to: no text that somebody wrote packs better, and beyond maxFree every more is asked to prove it.
const (
	maxCodings = 4
	maxRatio   = 200
	maxFree    = 64 << 20
	maxWindow  = 8 << 20 // of zstd in HTTP: RFC 9659 section 3
)

// acceptCoding asks for codings only when the user does, and never for a part: a range counts the octets of the coded form.
func acceptCoding(o *fetch.Options) string {
	if v := o.Get(setCompressed); v == "" || v == "0" || v == "false" || !o.Range.IsZero() || o.Op != fetch.Retrieve {
		return ""
	}
	return "zstd, br, gzip, deflate, compress;q=0.1"
}

// decoded undoes the content codings of d, if they were asked for. A coding that is not known is ErrDecode, and more than maxCodings are
// ErrLimit: half of the layers undone is neither the document nor what the server sent. Where nothing was asked for, the document stays as
// it came, and Content-Encoding among its fields names what it is in.
func (x *exchange) decoded(d *fetch.Document) (*fetch.Document, error) {
	if acceptCoding(x.plan.Options) == "" {
		return d, nil
	}
	names, err := codings(d.Header["Content-Encoding"])
	if err != nil {
		d.Body.Close()
		return nil, err
	}
	if len(names) == 0 {
		return d, nil
	}
	d.Body = &decoder{below: d.Body, names: names, header: x.env.Limits().Reply}
	d.Size, d.Validator.Size = -1, -1
	d.Header.Del("Content-Encoding")
	d.Header.Del("Content-Length")
	return d, nil
}

// codings returns the codings that the lines of Content-Encoding name, in the order in which they were applied.
func codings(lines []string) (names []string, err error) {
	for _, line := range lines {
		for name := range strings.SplitSeq(line, ",") {
			name = strings.TrimPrefix(strings.ToLower(strings.Trim(name, " \t")), "x-") // RFC 9110 sections 8.4.1.1, 8.4.1.3
			switch name {
			case "gzip", "deflate", "br", "zstd", "compress":
				names = append(names, name)
			case "", "identity":
			default:
				return nil, &fetch.Error{Kind: fetch.ErrDecode, Text: fmt.Sprintf("unknown content coding %.40q", name), Hint: "without --compressed it comes as it is"}
			}
		}
	}
	if len(names) > maxCodings {
		return nil, &fetch.Error{Kind: fetch.ErrLimit, Text: fmt.Sprintf("%d content codings, at most %d are undone", len(names), maxCodings),
			Hint: "without --compressed it comes as it is"}
	}
	return names, nil
}

// decoder is a body with its codings undone.
type decoder struct {
	below   io.ReadCloser
	names   []string // in the order in which they were applied
	header  int      // the limit of a header within the data
	src     *bufio.Reader
	r       io.Reader
	in, out int64
	err     error
}

func (d *decoder) Read(p []byte) (n int, err error) {
	if d.err != nil {
		return 0, d.err
	}
	if d.r == nil {
		if err = d.open(); err != nil {
			d.err = d.explain(err)
			return 0, d.err
		}
	}
	n, err = d.r.Read(p)
	d.out += int64(n)
	switch {
	case d.out > maxFree && d.out/maxRatio > d.in:
		d.err = &fetch.Error{Kind: fetch.ErrLimit, Text: "the document unpacks to more than 200 times its size", Hint: "without --compressed it comes as it is"}
	case err == io.EOF:
		d.err = d.confirm()
	case err != nil:
		d.err = d.explain(err)
	}
	return n, d.err
}

// counter counts what comes from below.
type counter struct{ d *decoder }

func (c counter) Read(p []byte) (int, error) {
	n, err := c.d.below.Read(p)
	c.d.in += int64(n)
	return n, err
}

// open builds the decoders at the first Read, since they read the first octets at once. A void body is void in every coding.
//
// QUIRK: servers give no octets at all with "Content-Encoding: gzip" (nginx and Apache for empty files through some modules).
func (d *decoder) open() error {
	d.src = bufio.NewReader(counter{d})
	if _, err := d.src.Peek(1); err != nil {
		return err
	}
	d.r = d.src
	for i := len(d.names) - 1; i >= 0; i-- {
		r, err := d.decoder(d.names[i], d.r)
		if err != nil {
			return err
		}
		d.r = r
	}
	return nil
}

func (d *decoder) decoder(name string, r io.Reader) (io.Reader, error) {
	switch name {
	case "gzip":
		return newMembers(r, d.header)
	case "br":
		return brotli.NewReader(r), nil
	case "zstd":
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	case "compress":
		return unlzw.NewReader(r)
	}
	// QUIRK: deflate means the zlib format (RFC 9110 section 8.4.1.2), but servers of the nineties, and IIS long after, send it bare.
	br := bufio.NewReader(r)
	if h, err := br.Peek(2); err == nil && h[0]&0x0f == 8 && (uint(h[0])<<8|uint(h[1]))%31 == 0 {
		return zlib.NewReader(br)
	}
	return flate.NewReader(br), nil
}

// confirm reads to the end of what carries the coding: only that says that the document is whole.
func (d *decoder) confirm() error {
	switch n, err := io.CopyN(io.Discard, d.src, 1); {
	case n > 0:
		return fetch.Errorf(fetch.ErrDecode, "octets follow the end of the %s data", d.names[len(d.names)-1])
	case err == io.EOF:
		return io.EOF
	default:
		return d.explain(err)
	}
}

// explain gives a kind to what a decoder says. Errors from below have theirs.
func (d *decoder) explain(err error) error {
	switch {
	case err == io.EOF && d.in == 0, fetch.KindOf(err) != "":
		return err
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return fetch.Errorf(fetch.ErrDecode, "the %s data end too early", strings.Join(d.names, ", "))
	}
	return fetch.Errorf(fetch.ErrDecode, "the document is not in the coding %s: %v", strings.Join(d.names, ", "), err)
}

// Close drops the rest.
func (d *decoder) Close() error { return d.below.Close() }
