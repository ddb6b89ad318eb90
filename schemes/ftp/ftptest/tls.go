package ftptest

import (
	"bufio"
	"crypto/tls"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
)

func (x *session) secure() bool {
	_, ok := x.c.(*tls.Conn)
	return ok
}

// startTLS begins TLS on the control connection. It reports success.
func (x *session) startTLS() bool {
	c := x.Net.AcceptTLS(x.c, x.o.TLS)
	if c == nil {
		x.done = true
		return false
	}
	x.c, x.r = c, bufio.NewReaderSize(c, maxLine)
	return true
}

// cmdAUTH upgrades the control connection (RFC 4217 §4). It drops
// cleartext input after AUTH, which would otherwise count as commands of the
// protected session.
func (x *session) cmdAUTH(arg string) {
	switch {
	case x.o.TLS == nil:
		x.reply(500, "Unknown command AUTH")
	case x.secure():
		x.reply(503, "TLS is in use already")
	case !strings.EqualFold(arg, "TLS") && !strings.EqualFold(arg, "TLS-C"):
		x.reply(504, "Only AUTH TLS is known")
	default:
		x.raw("234 Go ahead\r\n" + x.f.InjectBeforeTLS)
		x.r.Discard(x.r.Buffered())
		if !x.done && x.startTLS() {
			x.user, x.in, x.prot = "", false, false
		}
	}
}

func (x *session) cmdPBSZ(arg string) {
	switch {
	case !x.secure():
		x.reply(503, "PBSZ needs TLS")
	case arg == "":
		x.reply(501, "PBSZ needs a number")
	default:
		x.reply(200, "PBSZ=0")
	}
}

func (x *session) cmdPROT(arg string) {
	switch arg = strings.ToUpper(arg); {
	case !x.secure():
		x.reply(503, "PROT needs TLS")
	case arg == "P" || arg == "C" && !x.o.RequireTLS:
		x.prot = arg == "P"
		x.reply(200, "PROT "+arg)
	default:
		x.reply(536, "PROT "+loopback.Printable(arg)+" is not supported")
	}
}
