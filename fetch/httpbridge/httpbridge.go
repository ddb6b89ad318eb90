// Package httpbridge makes a fetch.Client an http.RoundTripper, so that programs built on net/http can fetch any scheme:
//
//	t := &http.Transport{}
//	httpbridge.Register(t, fetch.New(schemes.All(nil)...))
//	resp, err := (&http.Client{Transport: t}).Get("gopher://gopher.example/0/about.txt")
//
// Responses are like those of http.NewFileTransport: 200 with the document, 206 for a part, 304 for an unchanged document. A server's
// refusal becomes 401, 403, 404, 416 or 503; any other failure is an error with a fetch.Kind. Only the fetch.Client follows referrals,
// under its own Policy.
package httpbridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// RoundTripper returns an http.RoundTripper that uses c. It supports GET and HEAD, and the request fields Accept, Range, If-Range,
// If-None-Match, If-Modified-Since and Basic Authorization.
func RoundTripper(c *fetch.Client) http.RoundTripper { return &bridge{c} }

// Register makes t use c for all schemes of c except http and https.
func Register(t *http.Transport, c *fetch.Client) {
	for _, s := range c.Schemes {
		for _, name := range s.Names {
			if name != "http" && name != "https" {
				t.RegisterProtocol(name, RoundTripper(c))
			}
		}
	}
}

type bridge struct{ client *fetch.Client }

// RoundTrip closes the request's body without reading it, as http.RoundTripper demands.
func (b *bridge) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r.Body.Close()
	}
	u, err := uri.Parse(r.URL.String())
	if err != nil {
		return nil, err
	}
	o, err := Options(r)
	if err != nil {
		return nil, err
	}
	d, err := Get(r.Context(), b.client, u, o)
	if err != nil {
		if d != nil {
			d.Body.Close() // a referral that may not be followed, so net/http must not follow it, either
		}
		return refusal(r, err)
	}
	return Answer(r, d), nil
}

// Get dereferences u. If the scheme has no metadata operation for the document, it fetches the document, whose body the caller then does
// not read.
func Get(ctx context.Context, c *fetch.Client, u uri.URI, o *fetch.Options) (*fetch.Document, error) {
	d, err := c.Get(ctx, u, o)
	if o.Op == fetch.Metadata && errors.Is(err, fetch.ErrUnsupported) {
		o.Op = fetch.Retrieve
		return c.Get(ctx, u, o)
	}
	return d, err
}

// Options returns the options for a request, whose method is GET or HEAD.
func Options(r *http.Request) (*fetch.Options, error) {
	o := &fetch.Options{IfChanged: ifChanged(r), Accept: accepted(r.Header.Values("Accept"))}
	switch r.Method {
	case "", http.MethodGet:
	case http.MethodHead:
		o.Op = fetch.Metadata
	default:
		return nil, &fetch.Error{Kind: fetch.ErrUnsupported, Text: fmt.Sprintf("method %s is not supported for %s", r.Method, r.URL.Scheme)}
	}
	if user, password, ok := r.BasicAuth(); ok {
		o.Login = fetch.GivenLogin(user, password)
	}
	if o.Range = rangeOf(r.Header.Get("Range")); !o.Range.IsZero() {
		o.IfSame = ifSame(r)
	}
	return o, nil
}

// accepted returns the media types of Accept without their qualities, the best one first. RFC 9110 section 12.5.1.
func accepted(fields []string) (types []string) {
	quality := map[string]float64{}
	for _, field := range fields {
		for t := range strings.SplitSeq(field, ",") {
			name, params, err := mime.ParseMediaType(t)
			q, bad := strconv.ParseFloat(params["q"], 64)
			if bad != nil {
				q = 1 // the default
			}
			if delete(params, "q"); err == nil && q > 0 {
				name = mime.FormatMediaType(name, params)
				types, quality[name] = append(types, name), q
			}
		}
	}
	slices.SortStableFunc(types, func(a, b string) int { return cmp.Compare(quality[b], quality[a]) })
	return types
}

// rangeOf parses a Range of one part in bytes. Any other is ignored, as RFC 9110 section 14.2 allows.
func rangeOf(field string) fetch.Range {
	spec, ok := strings.CutPrefix(field, "bytes=")
	r, err := fetch.ParseRange(spec)
	if !ok || err != nil {
		return fetch.Range{}
	}
	return r
}

// refusal turns a server's refusal into a response.
func refusal(r *http.Request, err error) (*http.Response, error) {
	status := 0
	switch k := fetch.KindOf(err); k {
	case fetch.ErrAuth, fetch.ErrRefused, fetch.ErrNotFound, fetch.ErrUnavailable, fetch.ErrRange:
		status = Status(k)
	default:
		return nil, err
	}
	text := err.Error() + "\n"
	resp := response(r, status, io.NopCloser(strings.NewReader(text)))
	resp.Header.Set("Content-Type", "text/plain; charset=utf-8")
	resp.ContentLength = int64(len(text))
	return resp, nil
}

func response(r *http.Request, status int, body io.ReadCloser) *http.Response {
	return &http.Response{
		Status: strconv.Itoa(status) + " " + http.StatusText(status), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: body, ContentLength: -1, Request: r,
	}
}
