package dialogue_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
)

// A client that waits for what an edited script does not have gets an error that names the line. A client that is slow does not.
func TestPatience(t *testing.T) {
	for _, x := range []struct{ script, sends, got, read, closed string }{
		{"*: [connected]\nS: 220 a\nC: USER x", "", "220 a\r\n",
			`line 3: the client waits for the server, and does not send "USER x\r\n"`, `line 3: the client waits for the server, and does not send "USER x\r\n"`},
		{"# edited\n*: [connected]\nC: a\nS: b", "a\r\n", "b\r\n", "the recording ends after line 4, and the client waits for more", ""},
		{"C: a\nS: b\n*2: [connected]\nS2: c", "a\r\n", "b\r\n", "line 3: the client waits for the server, and does not connect",
			"line 3: the client waits for the server, and does not connect"},
		{"C: a\n*: [delay 1h]\nS: b\n*: [end]", "a\r\n", "b\r\n", "", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, err := dialogue.Parse(x.script)
			if err != nil {
				t.Fatal(err)
			}
			o := dialogue.NoFaults()
			o.Patience = 5 * time.Second
			p, err := dialogue.NewPlayer(s, &o)
			if err != nil {
				t.Fatal(err)
			}
			c, err := p.Dial(t.Context(), "tcp", "h:1")
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour) // a client that does not read may take its time
			io.WriteString(c, x.sends)
			b, err := io.ReadAll(c)
			if err == nil {
				err = io.EOF
			}
			if got := strings.TrimSuffix(err.Error(), "EOF"); string(b) != x.got || !strings.Contains(got, x.read) {
				t.Errorf("%q: got %q, %v, want %q, %q", x.script, b, err, x.got, x.read)
			}
			c.Close()
			closed := ""
			if err := p.Close(); err != nil {
				closed = err.Error()
			}
			if closed != x.closed {
				t.Errorf("%q: Close: got %q, want %q", x.script, closed, x.closed)
			}
		})
	}
}

// A client that waits for a datagram that an edited script does not have gets an error, too.
func TestPatienceForDatagrams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := dialogue.Parse("C0: ping\nC0: ping\nS0: pong")
		o := dialogue.NoFaults()
		o.Patience = time.Second
		p, err := dialogue.NewPlayer(s, &o)
		if err != nil {
			t.Fatal(err)
		}
		sock, _, err := p.Datagrams(t.Context(), "192.0.2.1:1")
		if err != nil {
			t.Fatal(err)
		}
		sock.WriteTo([]byte("ping"), nil)
		want := `line 2: the client waits for the server, and does not send "ping"`
		if _, _, err := sock.ReadFrom(make([]byte, 9)); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		sock.Close()
		if err := p.Close(); err == nil || err.Error() != want {
			t.Errorf("Close: got %v, want %s", err, want)
		}
	})
}

// Frames are recorded with escapes, below their words. A text in them is not divided between rows.
func TestRecorderOfFrames(t *testing.T) {
	var b strings.Builder
	r := dialogue.NewRecorder(&b)
	long := append(bytes.Repeat([]byte{0xff}, 60), "a text that is longer than the rest of a row\x00\\\r\n "...)
	r.Trace(fetch.Event{Conn: 1, Dir: 'C', Data: []byte("\x30\x00******** \n"), Frames: []string{"one", "two"}})
	r.Trace(fetch.Event{Conn: 1, Dir: 'S', Data: long, Frames: []string{"three"}})
	r.Trace(fetch.Event{Dir: 'S', Data: long, Frames: []string{"a datagram"}})
	r.Trace(fetch.Event{Conn: 1, Dir: 'S', Data: []byte{0, 1, 2}})
	if err := r.Flush(); err != nil {
		t.Fatal(err)
	}
	ff := strings.Repeat(`\xff`, 60) + `a text that is longer than the rest of a row\` + "\n"
	want := "# C: one\n# C: two\nC: 0\\x00******** \\n\\\n# S: three\nS: " + ff + "S: \\x00\\\\\\r\\n \\\n# S: a datagram\nS0: " + ff + "S0: \\x00\\\\\\r\\n\\x20\nS= AAEC\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s, err := dialogue.Parse("\ufeff" + strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", "\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := bytesOf(s, 1, 'S'), append(bytes.Clone(long), 0, 1, 2); !bytes.Equal(got, want) {
		t.Errorf("got %q after an editor, want %q", got, want)
	}
	if got := bytesOf(s, 0, 'S'); !bytes.Equal(got, long) {
		t.Errorf("got the datagram %q after an editor, want %q", got, long)
	}
}
