// Package nvt implements telnet's network virtual terminal (RFC 854). A Stream is either end of a connection: data, commands, options (RFC
// 855, with the Q method of RFC 1143) and sub-negotiations, all of limited size. It does no I/O. A Host is a client's connection that uses a
// Stream, and can begin TLS by START_TLS (draft-altman-telnet-starttls).
//
//	s := nvt.New(handler)
//	err := s.Receive(input)  // calls handler's methods
//	conn.Write(s.Output())   // the answers
//	s.Type(keys)
//	conn.Write(s.Output())
package nvt

import "errors"

// Commands. RFC 854; EOR is RFC 885's, and the three before it are RFC 1184's.
const (
	EOF   = 236
	SUSP  = 237
	ABORT = 238
	EOR   = 239
	SE    = 240
	NOP   = 241
	DM    = 242
	BRK   = 243
	IP    = 244
	AO    = 245
	AYT   = 246
	EC    = 247
	EL    = 248
	GA    = 249
	SB    = 250
	WILL  = 251
	WONT  = 252
	DO    = 253
	DONT  = 254
	IAC   = 255
)

// Options, and the RFC of each.
const (
	Binary       = 0  // 856
	Echo         = 1  // 857
	SuppressGA   = 3  // 858
	TimingMark   = 6  // 860
	TerminalType = 24 // 1091
	EndOfRecord  = 25 // 885
	NAWS         = 31 // 1073
	LFlow        = 33 // 1372
	Linemode     = 34 // 1184
	NewEnviron   = 39 // 1572
	TN3270E      = 40 // 2355
	Charset      = 42 // 2066
	StartTLS     = 46 // draft-altman-telnet-starttls
)

// A Side is the end that performs an option. WILL and WONT are about the sender's side, DO and DONT about the other.
type Side int

const (
	Us Side = iota
	Them
)

// A Handler receives the input, in order. An error of one of its methods ends Receive. Slices are valid only during the call.
type Handler interface {
	Data(p []byte) error
	Command(cmd byte) error
	Agree(side Side, opt byte) bool             // reports whether to accept an option that the peer requests
	Changed(side Side, opt byte, on bool) error // an option has come into force, has ended, or was refused
	Sub(opt byte, p []byte) error               // a sub-negotiation, without its frame
}

const (
	// maxSub limits a sub-negotiation. The longest known ones, of NEW-ENVIRON, have some hundred bytes.
	maxSub = 4096
	// maxCommands is how many more commands than data bytes may be received in a row, NOP excluded.
	maxCommands = 1000
)

var (
	// ErrLong is the error of a sub-negotiation that is too long.
	ErrLong = errors.New("a telnet sub-negotiation is longer than 4096 bytes")
	// ErrEndless is the error of a peer that negotiates without end and sends no data.
	ErrEndless = errors.New("the telnet negotiation does not end")
)

// A Stream is the state of one end. It is used by one goroutine at a time.
type Stream struct {
	// Raw means that data is binary although the option is not in force, as in TN3270E (RFC 2355).
	Raw bool
	// Odd, if not nil, is called for what the peer does against the RFCs and the Stream accepts.
	Odd func(section, what string)

	handler  Handler
	options  [2][256]state
	at       int    // what the next byte is
	verb     byte   // WILL, WONT, DO, DONT whose option is the next byte
	sub      []byte // option and data of the unfinished sub-negotiation
	cr       bool   // the last byte of data was a CR
	commands int    // counted against maxCommands
	out      []byte
	unread   int
}

// What the next byte is.
const (
	inData = iota
	inCommand
	inOption
	inSub
	inSubCommand
)

// New returns a Stream in which every option is off.
func New(h Handler) *Stream { return &Stream{handler: h} }

// Receive parses input.
func (s *Stream) Receive(in []byte) error {
	for i := 0; i < len(in); {
		if s.at == inData {
			n, err := s.data(in[i:])
			if i += n; err != nil || n > 0 {
				if err != nil {
					return err
				}
				continue
			}
		}
		s.unread = len(in) - i - 1
		if err := s.next(in[i]); err != nil {
			return err
		}
		i++
	}
	return nil
}

// Unread returns, during a call of the Handler, how many bytes of the input follow.
func (s *Stream) Unread() int { return s.unread }

// Output returns the bytes to send, and forgets them.
func (s *Stream) Output() []byte {
	out := s.out
	s.out = nil
	return out
}

// data passes on the bytes before the next IAC, without the NUL of CR NUL (RFC 854), and returns how many there were.
func (s *Stream) data(in []byte) (n int, err error) {
	binary := s.Raw || s.On(Them, Binary)
	from := 0
	for n < len(in) && in[n] != IAC {
		c := in[n]
		if c == 0 && s.cr && !binary {
			if err := s.pass(in[from:n]); err != nil {
				return n, err
			}
			from = n + 1
		}
		s.check(s.cr && c != 0 && c != '\n' && !binary, "RFC 854", "a CR that neither LF nor NUL follows")
		s.cr = c == '\r'
		n++
	}
	return n, s.pass(in[from:n])
}

func (s *Stream) pass(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	s.commands = max(0, s.commands-len(p))
	return s.handler.Data(p)
}

// next parses one byte that is not plain data.
func (s *Stream) next(c byte) error {
	switch s.at {
	case inData:
		s.at = inCommand // c is IAC
		return nil
	case inCommand:
		return s.command(c)
	case inOption:
		s.at = inData
		return s.negotiate(s.verb, c)
	case inSub:
		if c == IAC {
			s.at = inSubCommand
			return nil
		}
		return s.subByte(c)
	}
	return s.subCommand(c)
}

func (s *Stream) command(c byte) error {
	s.at = inData
	if c == IAC { // RFC 854: a doubled IAC is one byte of data
		s.cr = false
		return s.pass([]byte{IAC})
	}
	if c == NOP { // hosts keep a silent connection up with it, for days
		return s.handler.Command(c)
	}
	if s.commands++; s.commands > maxCommands {
		return ErrEndless
	}
	switch {
	case c >= WILL:
		s.verb, s.at = c, inOption
		return nil
	case c == SB:
		s.sub, s.at = s.sub[:0], inSub
		return nil
	case c == SE: // without SB
		s.check(true, "RFC 855", "SE without SB")
		return nil
	}
	return s.handler.Command(c)
}

func (s *Stream) subByte(c byte) error {
	s.at = inSub
	if s.sub = append(s.sub, c); len(s.sub) > maxSub {
		return ErrLong
	}
	return nil
}

// subCommand parses the byte after an IAC within a sub-negotiation.
func (s *Stream) subCommand(c byte) error {
	switch {
	case c == IAC:
		return s.subByte(IAC)
	case c != SE:
		// QUIRK: RFC 855 allows only IAC and SE here. BSD's telnet treats anything else as a missing SE, and so do we.
		s.check(true, "RFC 855", "a sub-negotiation without IAC SE at its end")
		if err := s.subEnd(); err != nil {
			return err
		}
		return s.command(c)
	}
	return s.subEnd()
}

func (s *Stream) subEnd() error {
	s.at = inData
	if len(s.sub) == 0 {
		return nil
	}
	s.check(!s.On(Us, s.sub[0]) && !s.On(Them, s.sub[0]), "RFC 855", "a sub-negotiation of an option that is not in force")
	return s.handler.Sub(s.sub[0], s.sub[1:])
}

// check reports what the peer does against an RFC.
func (s *Stream) check(wrong bool, section, what string) {
	if wrong && s.Odd != nil {
		s.Odd(section, what)
	}
}

// Sub queues a sub-negotiation.
func (s *Stream) Sub(opt byte, p ...byte) {
	s.out = append(s.out, IAC, SB, opt)
	s.double(p)
	s.Command(SE)
}

// Command queues a command.
func (s *Stream) Command(cmd byte) { s.out = append(s.out, IAC, cmd) }

// Record queues a record: data that ends with IAC EOR (RFC 885).
func (s *Stream) Record(p []byte) {
	s.double(p)
	s.Command(EOR)
}

// Type queues data in the form in which it is sent: IAC is doubled, and outside of binary transmission a line ends with CR LF and a lone
// CR is CR NUL (RFC 854 "The NVT printer and keyboard"). A CR LF must not be split between two calls.
func (s *Stream) Type(data []byte) {
	if s.On(Us, Binary) {
		s.double(data)
		return
	}
	for i, c := range data {
		switch {
		case c == IAC:
			s.out = append(s.out, IAC, IAC)
		case c == '\r' && (i+1 == len(data) || data[i+1] != '\n'):
			s.out = append(s.out, '\r', 0)
		case c == '\n' && (i == 0 || data[i-1] != '\r'):
			s.out = append(s.out, '\r', '\n')
		default:
			s.out = append(s.out, c)
		}
	}
}

// double queues data with each IAC doubled.
func (s *Stream) double(p []byte) {
	for _, c := range p {
		if s.out = append(s.out, c); c == IAC {
			s.out = append(s.out, IAC)
		}
	}
}
