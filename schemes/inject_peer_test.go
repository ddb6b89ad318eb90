package schemes_test

import (
	"bufio"
	"context"
	"io"
	"net"
	nethttp "net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// A peer is a server of scripts.
type peer struct {
	value   string
	replies []string
	played  bool

	mu    sync.Mutex
	said  []*strings.Builder // by connections
	used  map[int]bool
	still sync.WaitGroup
}

func (p *peer) dial(_ context.Context, _, addr string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.still.Add(1)
	if strings.HasSuffix(addr, ":2021") { // FTP's data
		go func() {
			defer p.still.Done()
			theirs.SetDeadline(time.Now().Add(time.Second))
			io.WriteString(theirs, "-rw-r--r-- 1 a a 1 Jan 1 2020 "+p.value+"\r\n")
			theirs.Close()
		}()
		return ours, nil
	}
	b := &strings.Builder{}
	p.said = append(p.said, b)
	go p.serve(theirs, b)
	if p.played {
		return playback{ours}, nil
	}
	return ours, nil
}

// playback is a connection whose bytes were inside TLS.
type playback struct{ net.Conn }

func (playback) IsPlayback() {}

// serve reads lines, and answers each from the script. If that has no reply, it closes the connection.
func (p *peer) serve(c net.Conn, said *strings.Builder) {
	defer p.still.Done()
	defer c.Close()
	c.SetDeadline(time.Now().Add(2 * time.Second))
	lines := make(chan string, 10000)
	go func() {
		defer close(lines)
		in := bufio.NewReader(c)
		for {
			line, err := in.ReadString('\n')
			p.mu.Lock()
			said.WriteString(line)
			p.mu.Unlock()
			if err != nil {
				return
			}
			lines <- line
		}
	}()
	if text, ok := p.reply("^"); ok && text != "" {
		io.WriteString(c, text)
	}
	for line := range lines {
		text, known := p.reply(line)
		if known {
			if _, err := io.WriteString(c, text); err != nil {
				break
			}
		}
		if only := p.replies[0]; known && !strings.HasPrefix(only, "^") && !strings.HasPrefix(only, "GET") {
			break // one answer, and the close
		}
	}
	c.Close()
	for range lines {
	}
}

func (p *peer) reply(line string) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, r := range p.replies {
		prefix, text, _ := strings.Cut(r, "|")
		prefix, again := strings.CutPrefix(prefix, "=")
		if (prefix == "^") != (line == "^") || prefix != "^" && !strings.HasPrefix(line, prefix) || p.used[i] || prefix == "." &&
			line != ".\r\n" {
			continue
		}
		if p.used == nil {
			p.used = map[int]bool{}
		}
		p.used[i] = !again && prefix != "^"
		return strings.ReplaceAll(text, v, p.value), true
	}
	return "", false
}

// heard returns everything that the server received.
func (p *peer) heard() string {
	p.still.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	for _, s := range p.said {
		b.WriteString(s.String())
	}
	return b.String()
}

// valueJar is a jar with a value in a cookie.
type valueJar string

func (j valueJar) Cookies(*url.URL) []*nethttp.Cookie {
	return []*nethttp.Cookie{{Name: "a", Value: string(j)}}
}
func (j valueJar) SetCookies(*url.URL, []*nethttp.Cookie) {}
