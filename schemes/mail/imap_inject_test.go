package mail

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Whatever a value of the URI, of a login or of a server's mailbox contains, an IMAP server gets the announced commands, each once and in
// order, and no others.
func TestPromise3CommandsOfIMAP(t *testing.T) {
	for _, end := range []string{"", "\r\n", "\n", "\r", "\x00", `"`, `\`, "\t", "\x01", "{5}", "{5+}\r\n", "\xff", "*", ")", "%"} {
		value := "a" + end + "T9 DELETE INBOX"
		escaped := uri.EscapeBut(value, "-._~")
		login := fetch.Login{User: value, Password: value, Set: true}
		for _, c := range []struct {
			uri   string
			o     fetch.Options
			known bool
		}{
			{uri: "imap://u:p@127.0.0.1/" + escaped},
			{uri: "imap://u:p@127.0.0.1/INBOX?" + escaped},
			{uri: "imap://u:p@127.0.0.1/INBOX", o: fetch.Options{Search: []string{value}}},
			{uri: "imap://u:p@127.0.0.1/INBOX/;UID=1/;SECTION=" + escaped},
			{uri: "imap://" + escaped + ":" + escaped + "@127.0.0.1/INBOX"},
			{uri: "imap://" + escaped + ";AUTH=PLAIN:" + escaped + "@127.0.0.1/INBOX"},
			{uri: "imap://u;AUTH=" + escaped + ":p@127.0.0.1/INBOX"},
			{uri: "imap://127.0.0.1/INBOX", o: fetch.Options{Login: login}},
			{uri: "mid:" + escaped + "@h.example", known: true},
			{uri: "mid:x@h.example"},
			{uri: "mailto:" + escaped + "@h.example"},
			{uri: "mailto:x@h.example", known: true},
		} {
			u, err := uri.Parse(c.uri)
			if err != nil {
				continue
			}
			s := &imapPeer{mailbox: value}
			client := fetch.New(Schemes(&Config{Sources: []Source{{URI: "imap://127.0.0.1/"}}})...)
			client.Dialer, client.Timeouts.Idle = s.dial, 300*time.Millisecond
			if client.Logins = nil; c.known {
				client.Logins = func(context.Context, fetch.LoginRequest) (fetch.Login, error) { return login, nil }
			}
			var announced []string
			c.o.Trace = func(e fetch.Event) {
				if e.Step != nil {
					announced = append(announced, e.Step.Verb)
				}
			}
			if d, _ := client.Get(t.Context(), u, &c.o); d != nil {
				if d.Entries != nil {
					for range d.Entries {
					}
				}
				io.Copy(io.Discard, d.Body)
				d.Body.Close()
			}
			client.Close()
			got, want := sequence(s.commands()), sequence(announced)
			if !slices.Equal(got, want[:min(len(got), len(want))]) || len(want) > len(got)+1 { // the last may have been rejected
				t.Errorf("%s, %q known %v: got the commands %q, want %q", c.uri, value, c.known, got, want)
			}
		}
	}
}

// sequence omits CAPABILITY, which the library also sends after a login, and repeated FETCH commands.
func sequence(verbs []string) []string {
	return slices.Compact(slices.DeleteFunc(verbs, func(v string) bool { return v == "CAPABILITY" }))
}

// imapPeer is a server that parses commands by the grammar of RFC 9051 only.
type imapPeer struct {
	mailbox string
	verbs   []string
	done    chan struct{}
}

func (s *imapPeer) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	theirs.SetDeadline(time.Now().Add(2 * time.Second))
	before, done := s.done, make(chan struct{})
	s.done = done
	go func() {
		defer close(done)
		if before != nil {
			<-before
		}
		defer theirs.Close()
		s.serve(theirs)
	}()
	return ours, nil
}

func (s *imapPeer) commands() []string {
	if s.done != nil {
		<-s.done
	}
	return s.verbs
}

func (s *imapPeer) serve(c net.Conn) {
	in := bufio.NewReader(c)
	io.WriteString(c, "* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] hello\r\n")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		tag, rest, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		for part := rest; ; { // a literal, and the rest of the command on the next line
			size, ok := literal(part)
			if !ok {
				break
			}
			io.WriteString(c, "+ go\r\n")
			if _, err := io.CopyN(io.Discard, in, size); err != nil {
				return
			}
			if part, err = in.ReadString('\n'); err != nil {
				return
			}
			part = strings.TrimRight(part, "\r\n")
		}
		verb, args, _ := strings.Cut(rest, " ")
		if verb == "UID" {
			second, _, _ := strings.Cut(args, " ")
			verb += " " + second
		}
		if strings.ContainsAny(strings.TrimSuffix(line, "\r\n"), "\r\n\x00") || !strings.HasSuffix(line, "\r\n") {
			verb += " with a line end in it"
		}
		s.verbs = append(s.verbs, verb)
		switch verb {
		case "CAPABILITY":
			io.WriteString(c, "* CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR\r\n")
		case "LIST":
			fmt.Fprintf(c, "* LIST () \"/\" {%d}\r\n%s\r\n* LIST () \"/\" INBOX\r\n", len(s.mailbox), s.mailbox)
		case "EXAMINE":
			io.WriteString(c, "* 1 EXISTS\r\n* OK [UIDVALIDITY 1] x\r\n")
		case "UID SEARCH":
			io.WriteString(c, "* SEARCH\r\n")
		case "UID FETCH":
			fmt.Fprintf(c, "%s NO not there\r\n", tag)
			continue
		}
		if _, err := fmt.Fprintf(c, "%s OK done\r\n", tag); err != nil {
			return
		}
	}
}

// literal parses {n} or {n+} at the end of a line.
func literal(line string) (int64, bool) {
	i := strings.LastIndexByte(line, '{')
	if i < 0 || !strings.HasSuffix(line, "}") {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(line[i+1:len(line)-1], "+"), 10, 32)
	return n, err == nil
}
