package http_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/textproto"
	"strconv"
	"strings"
	"time"
)

// A cachingServer returns the response of the client's current step.
type cachingServer struct {
	at       int
	steps    []*cachingStep
	requests []*nethttp.Request // of the step
	answered []int              // their statuses
	sent     []nethttp.Header   // of each step's response
	bodies   []string
}

func (s *cachingServer) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		r, err := nethttp.ReadRequest(in)
		if err != nil {
			return
		}
		s.requests = append(s.requests, r)
		step := s.steps[s.at]
		step.delay()
		if step.closes {
			s.answered = append(s.answered, 0)
			return
		}
		if _, err := io.WriteString(c, s.response(r)); err != nil {
			return
		}
	}
}

// response returns the response of the step, or a 304 if that is expected and the condition is true.
func (s *cachingServer) response(r *nethttp.Request) string {
	step := s.steps[s.at]
	var b strings.Builder
	for i, line := range step.interim {
		if isField := strings.Contains(line, ":"); !isField && i > 0 {
			b.WriteString("\r\n")
		} else if !isField {
			line = "HTTP/1.1 " + line + " Hint"
		}
		b.WriteString(line + "\r\n")
	}
	if len(step.interim) > 0 {
		b.WriteString("\r\n")
	}
	status, header, body := step.status, nethttp.Header{}, step.body
	for _, f := range step.header {
		name, value, _ := strings.Cut(f, ":")
		key := textproto.CanonicalMIMEHeaderKey(name)
		header[key] = append(header[key], dated(strings.TrimPrefix(value, " ")))
	}
	if status == "" {
		status = "200 OK"
	}
	if body == "" {
		body = fmt.Sprintf("body %d", s.at+1)
	}
	if len(step.want) > 0 && (step.want[0] == "etag" || step.want[0] == "date") {
		status = "999 Not Asked So"
		tag, date := r.Header.Get("If-None-Match"), r.Header.Get("If-Modified-Since")
		before := s.sent[0]
		for _, later := range s.sent[1:s.at] {
			if later != nil {
				before = later
			}
		}
		if tag != "" && tag == before.Get("Etag") || tag == "" && date != "" && date == before.Get("Last-Modified") {
			status = "304 Not Modified"
		} else if tag == "" && date == "" && len(s.requests) > 1 {
			status = "200 OK" // the second try
		}
	}
	code, _ := strconv.Atoi(status[:3])
	s.answered, s.sent[s.at] = append(s.answered, code), header
	body = frameBody(header, body, code, r.Method)
	if code != 304 {
		s.bodies[s.at] = body
	}
	fmt.Fprintf(&b, "HTTP/1.1 %s\r\n", status)
	header.Write(&b)
	b.WriteString("\r\n")
	switch {
	case code == 204 || code == 304 || r.Method == "HEAD":
	case header.Get("Transfer-Encoding") != "":
		fmt.Fprintf(&b, "%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	default:
		b.WriteString(body)
	}
	return b.String()
}

// frameBody returns the body with the length in the header. If there is none, it sets it.
func frameBody(header nethttp.Header, body string, code int, method string) string {
	if code == 204 {
		return ""
	}
	if n, err := strconv.Atoi(header.Get("Content-Length")); err == nil {
		return strings.Repeat("x", n)
	}
	if code != 304 && method != "HEAD" && header.Get("Transfer-Encoding") == "" {
		header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	return body
}

// dated returns value, or the date that it describes: "{-60}" is a minute ago.
func dated(value string) string {
	inner, ok := strings.CutPrefix(value, "{")
	inner, closed := strings.CutSuffix(inner, "}")
	n, err := strconv.Atoi(inner)
	if !ok || !closed || err != nil {
		return value
	}
	return time.Now().Add(time.Duration(n) * time.Second).UTC().Format(nethttp.TimeFormat)
}
