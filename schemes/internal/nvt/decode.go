package nvt

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"example.org/deref/schemes/internal/frames"
)

// Decode puts the first command at the beginning of b into words, with the names of the RFCs, for fetch.Scheme.Decode. It returns no words for data,
// which on its way to the host is what a user types. If record is not nil, it puts data that ends with IAC EOR into words. length is 0 if more
// bytes are needed.
func Decode(b []byte, record func(p []byte) string) (words string, length int) {
	if b[0] != IAC || len(b) > 1 && b[1] == IAC {
		return data(b, record)
	}
	if len(b) < 2 {
		return "", 0
	}
	switch cmd := b[1]; cmd {
	case WILL, WONT, DO, DONT:
		if len(b) < 3 {
			return "", 0
		}
		return "IAC " + commandName(cmd) + " " + optionName(b[2]), 3
	case SB:
		n := 2
		for n+1 < len(b) && !(b[n] == IAC && b[n+1] == SE) {
			if b[n] == IAC { // with the byte that it precedes
				n++
			}
			n++
		}
		switch {
		case n+1 >= len(b) && len(b) <= maxSub*2:
			return "", 0
		case n+1 >= len(b), n == 2:
			return "", -1
		}
		return "IAC SB " + optionName(b[2]) + subWords(b[2], single(b[3:n])) + " IAC SE", n + 2
	default:
		return "IAC " + commandName(cmd), 2
	}
}

// single undoes the doubling of IAC in data.
func single(b []byte) []byte { return bytes.ReplaceAll(b, []byte{IAC, IAC}, []byte{IAC}) }

// data returns the words about what precedes the first command of b.
func data(b []byte, record func([]byte) string) (words string, length int) {
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] != IAC:
		case i+1 == len(b): // the command follows
			if record == nil {
				return "", i
			}
			return "", 0
		case b[i+1] == IAC:
			i++
		case b[i+1] == EOR && record != nil:
			return record(single(b[:i])) + " IAC EOR", i + 2
		default:
			return "", i
		}
	}
	if record != nil && len(b) < maxData {
		return "", 0
	}
	return "", len(b)
}

// maxData is how much data is kept to see whether it is a record.
const maxData = 16 << 10

// commandName returns the name of a command in RFC 854, 885 and 1184.
func commandName(cmd byte) string {
	if cmd < EOF {
		return strconv.Itoa(int(cmd))
	}
	return strings.Fields("EOF SUSP ABORT EOR SE NOP DM BRK IP AO AYT EC EL GA SB WILL WONT DO DONT IAC")[cmd-EOF]
}

// options are the names of the first options in IANA's registry, in the form of their RFCs.
const options = `BINARY ECHO RECONNECTION SUPPRESS-GO-AHEAD APPROX-MESSAGE-SIZE STATUS TIMING-MARK RCTE OUTPUT-LINE-WIDTH OUTPUT-PAGE-SIZE
NAOCRD NAOHTS NAOHTD NAOFFD NAOVTS NAOVTD NAOLFD EXTEND-ASCII LOGOUT BYTE-MACRO DATA-ENTRY-TERMINAL SUPDUP SUPDUP-OUTPUT SEND-LOCATION
TERMINAL-TYPE END-OF-RECORD TACACS-USER-ID OUTPUT-MARKING TERMINAL-LOCATION-NUMBER 3270-REGIME X.3-PAD NAWS TERMINAL-SPEED
TOGGLE-FLOW-CONTROL LINEMODE X-DISPLAY-LOCATION OLD-ENVIRON AUTHENTICATION ENCRYPT NEW-ENVIRON TN3270E XAUTH CHARSET RSP COM-PORT-OPTION
SUPPRESS-LOCAL-ECHO START_TLS KERMIT SEND-URL FORWARD_X`

// optionName returns the name of an option, or its number.
func optionName(opt byte) string {
	switch opt {
	case 255:
		return "EXTENDED-OPTIONS-LIST"
	case 69: // this and those below are of MUDs
		return "MSDP"
	case 70:
		return "MSSP"
	case 85:
		return "MCCP1"
	case 86:
		return "MCCP2"
	case 90:
		return "MSP"
	case 91:
		return "MXP"
	case 200:
		return "ATCP"
	case 201:
		return "GMCP"
	}
	return frames.Word(opt, strings.Fields(options)...)
}

// subWords returns a sub-negotiation. Those that carry credentials, and of variables of the environment other than USER the values, are not shown.
func subWords(opt byte, p []byte) string {
	if len(p) == 0 {
		return ""
	}
	rest := p[1:]
	switch opt {
	case NAWS: // RFC 1073
		if len(p) == 4 {
			return fmt.Sprintf(" %d %d", int(p[0])<<8|int(p[1]), int(p[2])<<8|int(p[3]))
		}
	case TerminalType, 23, 32, 35: // RFC 1091, 779, 1079, 1096
		if p[0] == 1 {
			return " SEND"
		}
		if p[0] == 0 {
			return " IS " + frames.Quote(rest)
		}
	case NewEnviron, 36: // RFC 1572
		return environ(p)
	case Charset: // RFC 2066
		return " " + frames.Word(p[0], "", "REQUEST", "ACCEPTED", "REJECTED", "TTABLE-IS", "TTABLE-REJECTED", "TTABLE-ACK", "TTABLE-NAK") + " " + frames.Quote(rest)
	case LFlow: // RFC 1372
		return " " + frames.Word(p[0], "OFF", "ON", "RESTART-ANY", "RESTART-XON")
	case StartTLS:
		return " " + frames.Word(p[0], "", "FOLLOWS")
	case TN3270E: // RFC 2355 section 7
		return device(p)
	case Linemode: // RFC 1184
		if p[0] == 1 && len(rest) > 0 {
			return fmt.Sprintf(" MODE 0x%02x", rest[0])
		}
		return " " + frames.Word(p[0], "", "MODE", "FORWARDMASK", "SLC")
	case 37, 38: // RFC 2941, 2946: their data authenticates a user
		return " ***"
	}
	return fmt.Sprintf(" %d bytes", len(p))
}

// environ names variables (RFC 1572 section 2).
func environ(p []byte) string {
	words := " " + frames.Word(p[0], "IS", "SEND", "INFO")
	var name []byte
	in, hidden := byte(0xff), false
	end := func() {
		switch {
		case in == 0 || in == 3:
			words += " " + frames.Word(in, "VAR", "VALUE", "", "USERVAR")
			if name != nil {
				words += " " + frames.Quote(name)
			}
			hidden = string(name) != "USER"
		case in == 1 && hidden:
			words += " VALUE ***"
		case in == 1:
			words += " VALUE " + frames.Quote(name)
		}
		name = nil
	}
	for i := 1; i < len(p) && len(words) < 500; i++ {
		switch c := p[i]; {
		case c == 2 && i+1 < len(p): // ESC
			i++
			name = append(name, p[i])
		case c == 0 || c == 1 || c == 3:
			end()
			in = c
		default:
			name = append(name, c)
		}
	}
	end()
	return words
}

// device returns TN3270E's words, and the names of devices between them.
func device(p []byte) (words string) {
	if p[0] == 3 { // FUNCTIONS, a verb, and a list
		words = " FUNCTIONS"
		if len(p) > 1 {
			words += " " + frames.Word(p[1], "", "", "", "", "IS", "", "REJECT", "REQUEST")
			for _, f := range p[2:min(len(p), 12)] {
				words += " " + frames.Word(f, "BIND-IMAGE", "DATA-STREAM-CTL", "RESPONSES", "SCS-CTL-CODES", "SYSREQ")
			}
		}
		return words
	}
	for len(p) > 0 && len(words) < 500 {
		if p[0] < 9 {
			words += " " + frames.Word(p[0], "ASSOCIATE", "CONNECT", "DEVICE-TYPE", "FUNCTIONS", "IS", "REASON", "REJECT", "REQUEST", "SEND")
			reason := p[0] == 5
			if p = p[1:]; reason && len(p) > 0 {
				words += " " + strconv.Itoa(int(p[0]))
				p = p[1:]
			}
			continue
		}
		n := bytes.IndexFunc(p, func(r rune) bool { return r < 9 })
		if n < 0 {
			n = len(p)
		}
		words += " " + frames.Quote(p[:n])
		p = p[n:]
	}
	return words
}
