package ftptest

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
)

// A crowd counts the sessions of each address for Faults.PerAddress.
type crowd struct {
	mu      sync.Mutex
	of      map[netip.Addr]int
	refused int
}

// enter counts a session, and leave ends it. It reports whether the session is one too many; such a session is not counted.
func (w *crowd) enter(c net.Conn, most int) (leave func(), crowded bool) {
	a, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok || most <= 0 {
		return func() {}, false
	}
	addr := a.AddrPort().Addr().Unmap()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of[addr] >= most {
		w.refused++
		return func() {}, true
	}
	if w.of == nil {
		w.of = map[netip.Addr]int{}
	}
	w.of[addr]++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.of[addr]--
	}, false
}

// Crowded returns how many sessions were refused for Faults.PerAddress.
func (s *Server) Crowded() int {
	s.crowd.mu.Lock()
	defer s.crowd.mu.Unlock()
	return s.crowd.refused
}

// refuse ends a session that exceeds the limit.
func (x *session) refuse() {
	text := x.f.Crowded
	if text == "" {
		text = "421 Too many connections from your address."
	}
	text, login := strings.CutPrefix(text, "PASS ")
	if login {
		x.greet()
		for code := 331; ; code = 0 {
			line, err := x.readLine()
			if err != nil {
				return
			}
			x.Net.Note(line)
			if code == 0 {
				break
			}
			x.reply(code, "Password, please")
		}
	}
	code, text, _ := strings.Cut(text, " ")
	n, _ := strconv.Atoi(code)
	x.reply(n, text)
}
