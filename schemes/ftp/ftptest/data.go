package ftptest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"example.org/deref/schemes/internal/lineproto"
)

// connect is how long a data connection may take. vsftpd waits a minute; tests should not. It is much longer than the patience of deref, so that
// no result depends on which of the two ends first.
const connect = 10 * time.Second

// lastConnect is how long it may take after the client has ended its side of the control connection: most have gone, some only send no
// more commands.
const lastConnect = 200 * time.Millisecond

// dataPort is what PASV, EPSV, PORT or EPRT arranged for the next transfer.
type dataPort struct {
	ln     net.Listener
	active netip.AddrPort
	early  bool // more commands were there before the client could know the port
}

func (d *dataPort) reset(x *session) {
	if d.ln != nil {
		x.Net.Untrack(d.ln)
	}
	*d = dataPort{}
}

// listen opens a passive port on the address that the client has connected to.
func (x *session) listen() (port int, ok bool) {
	x.data.reset(x)
	if x.busy.Load() < int64(x.f.BusyPorts) && x.busy.Add(1) <= int64(x.f.BusyPorts) {
		x.reply(425, "EPSV: Address already in use")
		if x.f.BusyMute && x.r.Buffered() > 0 {
			x.mute()
		}
		return 0, false
	}
	host := addrOf(x.c.LocalAddr())
	if x.f.PASVHost.IsLoopback() {
		host = x.f.PASVHost
	}
	ln, err := x.Network.Listen("tcp", netip.AddrPortFrom(host, 0).String())
	if err == nil {
		err = x.Net.Track(ln)
	}
	if err != nil {
		x.reply(425, "Cannot open a port")
		return 0, false
	}
	x.data.ln, x.data.early = ln, x.r.Buffered() > 0
	return ln.Addr().(*net.TCPAddr).Port, true
}

// cmdPASV (RFC 959 §4.1.2) can only express IPv4 addresses.
func (x *session) cmdPASV(string) {
	near := addrOf(x.c.LocalAddr())
	switch {
	case x.o.NoPASV:
		x.reply(502, "No passive mode here")
		return
	case x.epsvAll:
		x.reply(503, "Not after EPSV ALL")
		return
	case !near.Is4():
		x.reply(425, "PASV is for IPv4, use EPSV")
		return
	}
	if x.f.PASVHost.IsValid() {
		near = x.f.PASVHost
	}
	port, ok := x.listen()
	if !ok {
		return
	}
	arg := x.f.PASV
	if arg == "" {
		arg = fmt.Sprintf("%s,%d,%d", strings.ReplaceAll(near.String(), ".", ","), port>>8, port&0xff)
	}
	x.reply(227, "Entering Passive Mode ("+arg+")")
}

// cmdEPSV (RFC 2428 §3).
func (x *session) cmdEPSV(arg string) {
	family := "2"
	if addrOf(x.c.LocalAddr()).Is4() {
		family = "1"
	}
	switch {
	case x.o.NoPASV:
		x.reply(502, "No passive mode here")
		return
	case x.o.NoEPSV:
		x.reply(550, "Permission denied")
		return
	case strings.EqualFold(arg, "ALL"):
		x.epsvAll = true
		x.reply(200, "EPSV ALL ok")
		return
	case arg != "" && arg != family:
		x.reply(522, "Network protocol not supported, use ("+family+")")
		return
	}
	port, ok := x.listen()
	if !ok {
		return
	}
	if x.f.EPSVPort != 0 {
		port = x.f.EPSVPort
	}
	x.reply(229, fmt.Sprintf("Entering Extended Passive Mode (|||%d|)", port))
}

// cmdPORT (RFC 959 §4.1.2).
func (x *session) cmdPORT(arg string) {
	to, err := lineproto.ParsePort(arg)
	x.setActive(to, err)
}

// cmdEPRT (RFC 2428 §2).
func (x *session) cmdEPRT(arg string) {
	if x.o.NoEPSV {
		x.reply(550, "Permission denied")
		return
	}
	to, err := parseEPRT(arg)
	x.setActive(to, err)
}

func parseEPRT(arg string) (netip.AddrPort, error) {
	if arg == "" {
		return netip.AddrPort{}, errors.New("an address is needed")
	}
	parts := strings.Split(arg, arg[:1])
	if len(parts) != 5 {
		return netip.AddrPort{}, errors.New("three fields are needed")
	}
	ip, err := netip.ParseAddr(parts[2])
	if err != nil {
		return netip.AddrPort{}, err
	}
	port, err := strconv.ParseUint(parts[3], 10, 16)
	if err == nil && (parts[1] == "1") != ip.Is4() {
		err = errors.New("protocol and address disagree")
	}
	return netip.AddrPortFrom(ip, uint16(port)), err
}

// setActive accepts the client's own address only. Any other would let the client
// make the server connect to third parties (RFC 2577 §3).
func (x *session) setActive(to netip.AddrPort, err error) {
	switch {
	case err != nil:
		x.reply(501, "Address not understood")
	case x.epsvAll:
		x.reply(503, "Not after EPSV ALL")
	case to.Addr().Unmap() != addrOf(x.c.RemoteAddr()) || to.Port() < 1024:
		x.reply(500, "Illegal address")
	default:
		x.data.reset(x)
		x.data.active = to
		x.reply(200, "Address noted")
	}
}

func addrOf(a net.Addr) netip.Addr { return a.(*net.TCPAddr).AddrPort().Addr().Unmap() }

// A dataConn is a *net.TCPConn, or a connection in memory.
type dataConn interface {
	net.Conn
	CloseWrite() error
	SetLinger(sec int) error
}

// openData makes the connection for one transfer, for which it must be arranged
// anew. The result is tracked: Untrack it.
func (x *session) openData() (dataConn, error) {
	defer x.data.reset(x)
	var c net.Conn
	var err error
	switch {
	case x.data.early && x.f.Impatient:
		err = errors.New("nobody has connected")
	case x.data.ln != nil:
		c, err = x.acceptData(x.data.ln)
	case x.data.active.IsValid():
		c, err = x.dialData(x.data.active)
	default:
		err = errors.New("no data connection arranged")
	}
	if err == nil {
		err = x.Net.Track(c)
	}
	if err != nil {
		return nil, err
	}
	return c.(dataConn), nil
}

// acceptData accepts the first connection that comes from the client's host.
func (x *session) acceptData(ln net.Listener) (net.Conn, error) {
	defer x.Net.Pause()()
	late := time.AfterFunc(connect, func() { ln.Close() })
	defer late.Stop()
	defer x.watch(func() { late.Reset(lastConnect) })()
	for {
		c, err := ln.Accept()
		if err != nil {
			return nil, err
		}
		if addrOf(c.RemoteAddr()) == addrOf(x.c.RemoteAddr()) {
			return c, nil
		}
		c.Close()
	}
}

func (x *session) dialData(to netip.AddrPort) (net.Conn, error) {
	defer x.Net.Pause()()
	ctx, cancel := context.WithTimeout(x.Net.Context(), connect)
	defer cancel()
	return x.Network.Dial(ctx, "tcp", x.f.ActiveFrom, to.String())
}

// watch calls gone if the control connection ends. The function that it returns ends the watch.
func (x *session) watch(gone func()) (stop func()) {
	x.c.SetReadDeadline(time.Time{})
	done := make(chan struct{})
	x.Net.Go(func() {
		defer close(done)
		if _, err := x.r.Peek(1); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			gone()
		}
	})
	return func() {
		x.c.SetReadDeadline(time.Unix(1, 0)) // ends the Peek; nothing is lost
		<-done
	}
}
