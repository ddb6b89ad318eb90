package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// consenting describes how TLS begins within a protocol: what the server sends first and to each command, which command requests TLS, how
// the server accepts and refuses it, and how it continues in clear text.
type consenting struct {
	uri, greeting  string
	replies        map[string]string // by the beginning of a command; "" matches any other command
	ask            string
	yes, no, clear string
}

const (
	telnetDo      = "\xff\xfd\x2e"             // IAC DO START_TLS
	telnetFollows = "\xff\xfa\x2e\x01\xff\xf0" // IAC SB START_TLS FOLLOWS IAC SE
	ldapYes       = "0\x0c\x02\x01\x01x\x07\x0a\x01\x00\x04\x00\x04\x00"
	ldapNo        = "0\x0c\x02\x01\x01x\x07\x0a\x01\x34\x04\x00\x04\x00"
	ldapBound     = "0\x0c\x02\x01\x02a\x07\x0a\x01\x00\x04\x00\x04\x00"
)

var consents = [...]consenting{
	{"ftp://ann:sesame@h.example/x", "220 hello\r\n", map[string]string{"": "230 fine\r\n"}, "AUTH", "234 begin\r\n", "502 no\r\n",
		"331 go on\r\n230 in\r\n"},
	{"ftpes://ann:sesame@h.example/x", "220 hello\r\n", map[string]string{"": "230 fine\r\n"}, "AUTH", "234 begin\r\n", "502 no\r\n",
		"331 go on\r\n230 in\r\n"},
	{"imap://ann:sesame@h.example/INBOX/;UID=1", "* OK hello\r\n",
		map[string]string{"D1 CAPABILITY": "* CAPABILITY IMAP4rev1 STARTTLS\r\nD1 OK\r\n"},
		"D2 STARTTLS", "D2 OK begin\r\n", "D2 NO\r\n", "* CAPABILITY IMAP4rev1\r\nD1 OK\r\n"},
	{"nntp://ann:sesame@h.example/g/1", "200 hello\r\n",
		map[string]string{"CAPABILITIES": "101 these\r\nVERSION 2\r\nREADER\r\nSTARTTLS\r\n.\r\n", "": "281 fine\r\n"},
		"STARTTLS", "382 begin\r\n", "580 no\r\n", "101 these\r\n.\r\n"},
	{"ldap://cn=ann:sesame@h.example/o=x", "", map[string]string{"": ldapBound}, "0", ldapYes, ldapNo, ldapBound},
	{"telnet://ann:sesame@h.example/", telnetDo, map[string]string{"": "login: "}, "\xff\xfa\x2e", telnetFollows, "\xff\xfe\x2elogin: ",
		"login: "},
	{"tn3270://ann:sesame@h.example/", telnetDo, map[string]string{"": "login: "}, "\xff\xfa\x2e", telnetFollows, "\xff\xfe\x2elogin: ",
		"login: "},
	{"mailto:bob@h.example?body=sesame", "220 hello\r\n", map[string]string{"EHLO": "250-h\r\n250 STARTTLS\r\n", "DATA": "354 go on\r\n",
		"": "250 fine\r\n"}, "STARTTLS", "220 begin\r\n", "454 no\r\n", "250 h\r\n250 fine\r\n"},
	{"mailto:ann@h.example?body=sesame", "220 hello\r\n", map[string]string{"EHLO": "250-h\r\n250-AUTH PLAIN\r\n250 STARTTLS\r\n",
		"": "250 fine\r\n"}, "STARTTLS", "220 begin\r\n", "454 no\r\n", "250 h\r\n250 fine\r\n"},
}

// If TLS is required in a protocol that begins in clear text, the client continues only within TLS. The server may not offer it, refuse
// it, send something else or nothing, add clear text after its acceptance (which could pass for protected data: CVE-2021-38370 and
// similar), or present a certificate of another authority, name or time. No data of the user is sent (promise 8).
func TestPromise8EveryConsentIsVerified(t *testing.T) {
	long(t, "many commands or processes")
	trusted, other := loopback.Must(loopback.Certificate(nil, "an authority")), loopback.Must(loopback.Certificate(nil, "another authority"))
	roots := x509.NewCertPool()
	roots.AddCert(trusted.Leaf)
	server := func(by *tls.Certificate, name string) *tls.Config {
		return &tls.Config{Certificates: []tls.Certificate{*loopback.Must(loopback.Certificate(by, name))}}
	}
	good, forged, evil, expired := server(trusted, "h.example"), server(other, "h.example"), server(trusted, "evil.example"), server(trusted, "h.example")
	old := *expired.Certificates[0].Leaf
	old.NotAfter = time.Now().Add(-time.Hour)
	expired.Certificates[0].Certificate[0] = loopback.Must(x509.CreateCertificate(rand.Reader, &old, trusted.Leaf, old.PublicKey, trusted.PrivateKey))
	for _, p := range consents {
		scheme, _, _ := strings.Cut(p.uri, ":")
		silent := p
		silent.replies = map[string]string{"": p.replies[""], p.ask: ""}
		unoffered := p
		unoffered.replies = map[string]string{"": "500 what\r\n", "CAPABILITIES": "101 these\r\nVERSION 2\r\nREADER\r\n.\r\n",
			"EHLO": "250-h\r\n250 AUTH PLAIN\r\n", "D1": "* CAPABILITY IMAP4rev1\r\nD1 OK\r\n"}
		unknown := p // the server does not list its extensions
		unknown.replies = map[string]string{"EHLO": "502 what\r\n", "CAPABILITIES": "500 what\r\n", "D1": "D1 BAD what\r\n", "": "250 fine\r\n"}
		for what, row := range map[string]struct {
			server consenting
			answer string
			config *tls.Config
		}{
			"refuses":               {p, p.no, nil},
			"garbage":               {p, "\x00\xffnothing\r\n\r\n", nil},
			"closes":                {silent, "", nil},
			"consents and does not": {p, p.yes, nil},
			"goes on in clear":      {p, p.yes + p.clear, nil},
			"injects":               {p, p.yes + p.clear, good},
			"another authority":     {p, p.yes, forged},
			"another name":          {p, p.yes, evil},
			"expired":               {p, p.yes, expired},
			"does not offer it":     {unoffered, p.no, nil},
			"offers nothing":        {unknown, p.no, nil},
		} {
			c := fetch.New(schemes.All(nil)...)
			c.Timeouts = brief()
			if row.config != nil { // time for a handshake
				c.Timeouts = fetch.Timeouts{Idle: time.Minute}
			}
			c.TLS = &tls.Config{RootCAs: roots}
			var heard heardBy
			c.Dialer = func(ctx context.Context, _, _ string) (net.Conn, error) {
				ln, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					return nil, err
				}
				go func() {
					defer ln.Close()
					if c, err := ln.Accept(); err == nil {
						row.server.serve(c, row.answer, row.config, &heard)
					}
				}()
				return new(net.Dialer).DialContext(ctx, "tcp", ln.Addr().String())
			}
			o := &fetch.Options{Set: map[string][]string{}}
			for _, s := range c.Schemes {
				for _, set := range s.Settings {
					if strings.HasSuffix(set.Key, ".ssl") {
						o.Set[set.Key] = []string{"require"}
					}
				}
			}
			var err error
			if scheme == "mailto" {
				o.Set["mailto.smtp"], o.Set["mailto.from"] = []string{"smtp://h.example"}, []string{"ann@h.example"}
				if strings.Contains(p.uri, "ann@") {
					o.Set["mailto.smtp"] = []string{"smtp://ann:sesame@h.example"}
				}
				_, err = c.Send(t.Context(), uri.MustParse(p.uri), nil, o)
			} else {
				_, _, err = read(t.Context(), c, uri.MustParse(p.uri), o)
			}
			c.Close()
			if err == nil {
				t.Errorf("%s, a server that %s: got no error, want one", scheme, what)
			}
			if text := heard.String(); strings.Contains(text, "sesame") || strings.Contains(text, "MAIL FROM") || strings.Contains(text, "INBOX") {
				t.Errorf("%s, a server that %s: it received %q, want nothing of the user's", scheme, what, text)
			}
			if kind := fetch.KindOf(err); row.config != nil && what != "injects" && kind != fetch.ErrTLS ||
				what == "injects" && kind != fetch.ErrProtocol {
				t.Errorf("%s, a server that %s: got %v (%s), want %s, or %s if it injects", scheme, what, err, kind, fetch.ErrTLS, fetch.ErrProtocol)
			}
		}
	}
}

// heardBy collects the bytes that servers receive.
type heardBy struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (h *heardBy) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.b.Write(p)
}

func (h *heardBy) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.b.String()
}

// serve replies to commands until TLS is requested, sends the reply to that, and begins TLS if there is a config.
func (p consenting) serve(c net.Conn, answer string, config *tls.Config, heard *heardBy) {
	defer c.Close()
	io.WriteString(c, p.greeting)
	buf := make([]byte, 4096)
	for {
		n, err := c.Read(buf)
		heard.Write(buf[:n])
		if err != nil {
			return
		}
		in := bufio.NewScanner(bytes.NewReader(buf[:n]))
		for in.Scan() {
			if strings.Contains(in.Text(), p.ask) {
				if answer == "" {
					return
				}
				if io.WriteString(c, answer); config != nil {
					inside := tls.Server(c, config)
					io.Copy(heard, inside)
					return
				}
				continue
			}
			for _, verb := range []string{"EHLO", "DATA", "CAPABILITIES", "D1", "D1 CAPABILITY", ""} {
				if reply, ok := p.replies[verb]; ok && strings.HasPrefix(in.Text(), verb) {
					io.WriteString(c, reply)
					break
				}
			}
		}
	}
}
