package http

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
)

// Limits against decompression bombs. Up to maxFree bytes are always allowed; a longer document must not be more than maxRatio times its
// coded size, a ratio that no written text reaches.
const (
	maxCodings = 4
	maxRatio   = 200
	maxFree    = 64 << 20
	maxWindow  = 8 << 20 // of zstd in HTTP: RFC 9659 section 3
)

// acceptedCodings is the value of Accept-Encoding.
const acceptedCodings = "zstd, br, gzip, deflate"

// acceptsCodings reports whether to request content codings: only if the user wants them, and never for a range, which counts the bytes of
// the coded form, or with a digest, which covers that form, too (RFC 9530 section 3).
func (r *request) acceptsCodings(o *fetch.Options) bool {
	return r.compressed && !isOn(o.Get(setDigest)) && o.Range.IsZero() && o.Op == fetch.Retrieve
}

// decoded undoes the content codings of d if they were requested. An unknown coding is ErrDecode, and more than maxCodings are ErrLimit: a
// document with only some layers undone is neither the document nor what the server sent. Otherwise the document stays unchanged, and its
// Content-Encoding names the codings.
func (x *exchange) decoded(d *fetch.Document) (*fetch.Document, error) {
	if !x.acceptsCodings(x.plan.Options) {
		return d, nil
	}
	names, err := x.codings(d.Header["Content-Encoding"])
	if err != nil {
		d.Body.Close()
		return nil, err
	}
	if len(names) == 0 {
		return d, nil
	}
	d.Body = &decoder{coded: d.Body, names: names, env: x.env}
	d.Size, d.Validator.Size = -1, -1
	d.Header.Del("Content-Encoding")
	d.Header.Del("Content-Length")
	return d, nil
}

// codings returns the codings in the lines of Content-Encoding, in the order in which they were applied.
func (x *exchange) codings(lines []string) (names []string, err error) {
	for _, line := range lines {
		for name := range strings.SplitSeq(line, ",") {
			name = strings.TrimPrefix(strings.ToLower(strings.Trim(name, " \t")), "x-") // RFC 9110 sections 8.4.1.1, 8.4.1.3
			switch name {
			case "gzip", "deflate", "br", "zstd":
				names = append(names, name)
			case "", "identity":
			case "none":
				// QUIRK: some servers send "none", which curl (content_encoding.c) and browsers read as no coding, too.
				x.env.Deviates("RFC 9110 section 8.4.1", "the field Content-Encoding", "none, which is not a coding")
			default:
				return nil, &fetch.Error{Kind: fetch.ErrDecode, Text: fmt.Sprintf("unknown content coding %.40q", name), Hint: rawHint}
			}
		}
	}
	if len(names) > maxCodings {
		return nil, &fetch.Error{Kind: fetch.ErrLimit, Text: fmt.Sprintf("%d content codings, more than %d", len(names), maxCodings), Hint: rawHint}
	}
	return names, nil
}

const rawHint = hint.Set + " http.compressed=0"

// A decoder is a body with its codings undone.
type decoder struct {
	coded   io.ReadCloser
	names   []string // in the order in which they were applied
	env     *fetch.Env
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
			d.err = d.wrap(err)
			return 0, d.err
		}
	}
	n, err = d.r.Read(p)
	d.out += int64(n)
	switch {
	case d.out > maxFree && d.out/maxRatio > d.in:
		d.err = &fetch.Error{Kind: fetch.ErrLimit, Text: "the decoded document has more than 200 times its size", Hint: rawHint}
	case err == io.EOF:
		d.err = d.checkEnd()
	case err != nil:
		d.err = d.wrap(err)
	}
	return n, d.err
}

// A counter counts the coded bytes.
type counter struct{ d *decoder }

func (c counter) Read(p []byte) (int, error) {
	n, err := c.d.coded.Read(p)
	c.d.in += int64(n)
	return n, err
}

// open makes the decoders at the first Read, because they read their first bytes at once. An empty body is empty in every coding.
//
// QUIRK: servers send an empty body with "Content-Encoding: gzip" (nginx and Apache for empty files through some modules).
func (d *decoder) open() error {
	d.src = bufio.NewReader(counter{d})
	if _, err := d.src.Peek(1); err != nil {
		if err == io.EOF && d.env.Strict() {
			d.env.Deviates("RFC 9110 section 8.4", "the body", "empty, which is not the coding %s", strings.Join(d.names, ", "))
		}
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
		return gzip.NewReader(r)
	case "br":
		return brotli.NewReader(r), nil
	case "zstd":
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	}
	// QUIRK: deflate means the zlib format (RFC 9110 section 8.4.1.2), but servers of the nineties, and IIS long after, send raw DEFLATE.
	br := bufio.NewReader(r)
	if h, err := br.Peek(2); err == nil && h[0]&0x0f == 8 && (uint(h[0])<<8|uint(h[1]))%31 == 0 {
		return zlib.NewReader(br)
	}
	d.env.Deviates("RFC 9110 section 8.4.1.2", "the body", "DEFLATE without the zlib format")
	return flate.NewReader(br), nil
}

// checkEnd reads to the end of the coded body. Only that shows that the document is complete.
func (d *decoder) checkEnd() error {
	switch n, err := io.CopyN(io.Discard, d.src, 1); {
	case n > 0:
		return fetch.Errorf(fetch.ErrDecode, "data after the end of the %s data", d.names[len(d.names)-1])
	case err == io.EOF:
		return io.EOF
	default:
		return d.wrap(err)
	}
}

// wrap sets the Kind of an error of a decoder. Errors of the coded body have one already.
func (d *decoder) wrap(err error) error {
	switch {
	case err == io.EOF && d.in == 0, fetch.KindOf(err) != "":
		return err
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return fetch.Errorf(fetch.ErrDecode, "the %s data is incomplete", strings.Join(d.names, ", "))
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return &fetch.Error{Kind: fetch.ErrLimit, Text: fmt.Sprintf("a window or block of the zstd data is larger than %d bytes", maxWindow), Hint: rawHint}
	}
	return fetch.Errorf(fetch.ErrDecode, "the document is not valid %s data: %v", strings.Join(d.names, ", "), err)
}

// Close discards the rest.
func (d *decoder) Close() error { return d.coded.Close() }
