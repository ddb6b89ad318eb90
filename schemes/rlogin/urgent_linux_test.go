package rlogin

import (
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
)

// sendUrgent sends a byte as TCP's urgent data.
func sendUrgent(t *testing.T, c net.Conn, octet byte) {
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) {
			if _, err := syscall.SendmsgN(int(fd), []byte{octet}, nil, nil, syscall.MSG_OOB); err != nil {
				t.Error(err)
			}
		})
	}
	if err != nil {
		t.Error(err)
	}
}

// In TestUrgent the host requests the size, switches Ctrl-S to itself and back, and has output discarded (RFC 1282). The urgent bytes
// themselves are not shown.
func TestUrgent(t *testing.T) {
	var came fetchtest.Display
	do := make(chan func(net.Conn))
	s, err := loopback.Listen("", func(c net.Conn) {
		go io.Copy(&came, c)
		io.WriteString(c, "\x00")
		for f := range do {
			f(c)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	defer close(do)
	say := func(urgent byte, text string) {
		do <- func(c net.Conn) {
			if urgent != 0 {
				sendUrgent(t, c, urgent)
			}
			io.WriteString(c, text)
		}
	}
	user, _ := attach(t, "rlogin://ann@"+s.Addr())
	const size = "\xff\xffss\x00\x1e\x00\x64\x00\x00\x00\x00"
	say(0x80, "first ")
	user.Wait(t, "first ")
	came.Wait(t, size+size) // at first, and on request

	user.Type("\x13")
	say(0, "stopped ")
	user.Type("a")
	came.Wait(t, "a")
	if strings.Contains(user.String(), "stopped") {
		t.Errorf("after Ctrl-S: got %q, want no \"stopped\"", user.String())
	}
	user.Type("\x11")
	user.Wait(t, "stopped ")
	say(0x10, "raw ")
	user.Wait(t, "raw ")
	user.Type("\x13\x11")
	came.Wait(t, "a\x13\x11")
	say(0x20, "cooked ")
	user.Wait(t, "cooked ")
	user.Type("\x13b")
	came.Wait(t, "a\x13\x11b")

	for range 50 { // more than is on its way to the terminal already
		say(0, strings.Repeat("thrown away ", 1000))
	}
	say(0x02, "kept ")
	do <- func(net.Conn) {} // wait until that is sent
	user.Type("\x11")
	user.Wait(t, "kept ")
	if n := strings.Count(user.String(), "thrown"); n == 50*1000 {
		t.Errorf("got all %d pieces of output, want some discarded", n)
	}
	for _, octet := range []byte{0x02, 0x10, 0x80} {
		if strings.IndexByte(user.String(), octet) >= 0 {
			t.Errorf("the urgent byte %02x is shown, want it hidden", octet)
		}
	}
	user.Keys.Close()
	if err := user.End(t); err != nil {
		t.Error(err)
	}
}
