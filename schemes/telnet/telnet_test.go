package telnet

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
)

func TestRows(t *testing.T) {
	if n := schemetest.Rows(t, Schemes()...); n < 5 {
		t.Errorf("got %d rows, want at least 5", n)
	}
}

func TestPlans(t *testing.T) {
	const answers = `
IAC SB TERMINAL-TYPE IS <terminal type> {if the host asks DO TERMINAL-TYPE, then SEND} {again until the host does not ask again}
IAC SB NAWS <columns> <rows> {if the host asks DO NAWS}
IAC DO ECHO {if the host offers WILL ECHO}
IAC DO SUPPRESS-GO-AHEAD {if the host offers WILL SUPPRESS-GO-AHEAD}
IAC WILL SUPPRESS-GO-AHEAD {if the host asks DO SUPPRESS-GO-AHEAD}
IAC WILL or DO TRANSMIT-BINARY {if the host offers WILL or asks DO TRANSMIT-BINARY}
IAC SB CHARSET ACCEPTED UTF-8 {if the host sends CHARSET REQUEST with UTF-8} {again until the host does not ask again}
IAC WILL TOGGLE-FLOW-CONTROL {if the host asks DO TOGGLE-FLOW-CONTROL}
IAC WILL TIMING-MARK {if the host asks DO TIMING-MARK}
IAC DONT or WONT <option> {if the host offers or asks for another option}`
	const startTLS = "\nIAC SB START_TLS FOLLOWS {if the host asks DO START_TLS}"
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "telnet://h", Want: "tcp h:23 none session\nread {again until the host waits}" + answers + startTLS},
		{URI: "telnet://h:2323/", Options: fetch.Options{Op: fetch.Attach},
			Want: "tcp h:2323 none session\nattach the terminal" + answers + startTLS},
		{URI: "telnets://ann%20b:pw@[::1]/", Want: "tcp [::1]:992 implicit session\nread {again until the host waits}" + answers +
			"\nIAC SB NEW-ENVIRON IS USER ann b {if the host asks DO NEW-ENVIRON, then SEND USER} {again until the host does not ask again}"},
		{URI: "telnet://-ntracefile/", Kind: fetch.ErrRefusedURL},
		{URI: "telnet://-froot@h/", Kind: fetch.ErrRefusedURL},
		{URI: "telnet://%2Dfroot@h/", Kind: fetch.ErrRefusedURL},
		{URI: "telnet://h:25/", Kind: fetch.ErrRefusedPort},
		{URI: "telnet://h/x", Kind: fetch.ErrRefusedURL},
		{URI: "telnet://h/?x", Kind: fetch.ErrRefusedURL},
		{URI: "telnet://h/", Options: fetch.Options{Op: fetch.Send}, Kind: fetch.ErrUnsupported},
		{URI: "telnet://h/", Options: fetch.Options{Range: fetch.Range{From: 1}}, Kind: fetch.ErrRange},
		{URI: "telnet://h/", Options: fetch.Options{Set: map[string][]string{"telnet.term": {"vt\n100"}}}, Kind: fetch.ErrRefusedURL},
		{URI: "telnet://h/", Options: fetch.Options{Set: map[string][]string{"telnet.idle": {"soon"}}}, Kind: fetch.ErrUnsupported},
	}, Schemes()...)
}

func TestInjection(t *testing.T) {
	fetchtest.Injection(t, []string{"telnet://u{}@h/", "telnet://h{}/", "telnets://u{}@h/"}, nil, Schemes()...)
}

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"telnet://h", "telnet://u:p@h:23/", "telnets://%2d@[::1%25eth0]/", "telnet:h", "telnet:///x"}, Schemes()...)
}

func TestPage(t *testing.T) { schemetest.Page(t, outcomes, Schemes()...) }

func TestMain(m *testing.M) {
	fetchtest.Overlap()
	m.Run()
}

func FuzzDecode(f *testing.F) {
	schemetest.FuzzDecode(f, Schemes()[0],
		"\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0hello\xff\xff\xff\xf9",
		"\xff\xfa\x27\x00\x00USER\x01ann\x03X\x01secret\xff\xf0\xff\xfa\x1f\x00\x50\xff\xff\x18\xff\xf0\xff\xfa\xff\xff\xf0",
	)
}

// An attached session outlives the Client's time for silence.
func TestAttachedSilence(t *testing.T) { synctest.Test(t, attachedSilence) }

func attachedSilence(t *testing.T) {
	c := fetch.New(Schemes()...)
	c.Dialer = schemetest.Dialer(func(c net.Conn) {
		io.WriteString(c, "lab> ")
		if line, _ := bufio.NewReader(c).ReadString('\r'); line != "" {
			io.WriteString(c, "Goodbye\r\n")
		}
	})
	s := fetchtest.Attach(t, t.Context(), c, "telnet://h/", &fetch.Terminal{})
	time.Sleep(time.Hour)
	if got := s.String(); got != "lab> " {
		t.Errorf("got %q within the hour, want the prompt", got)
	}
	s.Type("quit\r")
	if err := s.End(t); err != nil {
		t.Error(err)
	}
	if got := s.String(); !strings.HasSuffix(got, "Goodbye\r\n") {
		t.Errorf("got %q, want a goodbye", got)
	}
}

// If the host closes the connection after some output, that is a document. If it waits, the screen ends with interactive.
func TestConformance(t *testing.T) {
	idle := fetch.Options{Set: map[string][]string{setIdle: {"0.05"}}}
	fetchtest.Test(t, Schemes()[0],
		fetchtest.Case{Name: "document", URI: "telnet://host.example/", Body: "Friday\r\n", Type: "text/plain", End: fetch.EndClosed, Script: `
*: read
*: [connected to 127.0.0.1:23]
S= //sB//0YRnJpZGF5DQo=
*: [if the host offers WILL ECHO]
*: IAC DO ECHO
C= //0B//sY
*: [end]
`},
		fetchtest.Case{Name: "NUL is no operation (RFC 854)", URI: "telnet://host.example/", Body: "Friday\r\n", Type: "text/plain", End: fetch.EndClosed, Script: `
*: read
*: [connected to 127.0.0.1:23]
S= //sB//0YAABGcmkAZGF5DQo=
*: [if the host offers WILL ECHO]
*: IAC DO ECHO
C= //0B//sY
*: [end]
`},
		fetchtest.Case{Name: "screen", URI: "telnet://ann@host.example/", Options: idle, Err: fetch.ErrInteractive, Script: `
*: read
*: [connected to 127.0.0.1:23]
S= //0n
C= //sn
S= //onAQD/8A==
*: [if the host asks DO NEW-ENVIRON, then SEND USER]
*: IAC SB NEW-ENVIRON IS USER ann
C= //onAABVU0VSAWFubv/w
S= bG9naW46IA==
`},
		fetchtest.Case{Name: "flow, mark", URI: "telnet://host.example/", Options: idle, Err: fetch.ErrInteractive, Script: `
*: read
*: [connected to 127.0.0.1:23]
S= //0i//0h//0G
*: [if the host offers or asks for another option]
*: IAC DONT or WONT 34
*: [if the host asks DO TOGGLE-FLOW-CONTROL]
*: IAC WILL TOGGLE-FLOW-CONTROL
*: [if the host asks DO TIMING-MARK]
*: IAC WILL TIMING-MARK
C= //wi//sh//sG
S= //ohAP/wbG9naW46IA==
`},
		fetchtest.Case{Name: "without a word", URI: "telnet://host.example", Err: fetch.ErrConnection, Script: `
*: read
*: [connected to 127.0.0.1:23]
S= //0m
*: [if the host offers or asks for another option]
*: IAC DONT or WONT 38
C= //wm
*: [end]
`},
		fetchtest.Case{Name: "an option for login", URI: "telnet://%2Dfroot@host.example/", Err: fetch.ErrRefusedURL},
		fetchtest.Case{Name: "injection", URI: "telnet://a%0D%0Ab@host.example/", Err: fetch.ErrRefusedURL},
	)
}
