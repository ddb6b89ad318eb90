package lab

import (
	"net"
	"testing"
)

func TestServerAnswers(t *testing.T) {
	addr := Server(t, "vsftpd")
	if addr != "127.0.0.1:24021" {
		t.Errorf("vsftpd is at %s", addr)
	}
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	greeting := make([]byte, 4)
	if _, err := c.Read(greeting); err != nil || string(greeting) != "220 " {
		t.Errorf("%q, %v", greeting, err)
	}
	if b := Read(t, "motd"); len(b) == 0 {
		t.Error("the lab has no motd")
	}
}

func TestServerWithoutLink(t *testing.T) {
	if addr := Server(t, "proftpds"); addr != "127.0.0.1:24990" {
		t.Errorf("proftpds is at %s", addr)
	}
}
