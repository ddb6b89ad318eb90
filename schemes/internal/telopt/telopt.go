// Package telopt is the telnet stream (RFC 854) as either end reads and writes it: data, commands, options (RFC 855, by the Q method
// of RFC 1143) and sub-negotiations, all of it bounded. It does no I/O.
//
//	s := telopt.New(end)
//	err := s.Receive(octets)  // calls end's methods
//	conn.Write(s.Answers())   // what follows from it
//	conn.Write(s.Escape(nil, keys))
package telopt

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
	Status       = 5  // 859
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

// A Side is the end that performs an option: WILL and WONT are said of oneself, DO and DONT of the other.
type Side int

const (
	Us Side = iota
	Them
)

// An End is told what arrives, in order. An error of one of its methods ends Receive. Slices are valid during the call only.
type End interface {
	Data(p []byte) error
	Command(cmd byte) error
	Agree(side Side, opt byte) bool             // to an option that the other end wishes
	Changed(side Side, opt byte, on bool) error // an option has come into force, has ended, or was refused
	Sub(opt byte, p []byte) error               // a sub-negotiation, without its frame
}

const (
	// maxSub bounds a sub-negotiation: the longest ones known, of NEW-ENVIRON, hold some hundred octets.
	maxSub = 4096
	// maxTalk is how many commands may come in a row without data; each octet of data makes good for one.
	maxTalk = 1000
)

var (
	// ErrLong is a sub-negotiation without a near end.
	ErrLong = errors.New("a telnet sub-negotiation is longer than 4096 octets")
	// ErrEndless is a peer that negotiates and says nothing.
	ErrEndless = errors.New("the telnet negotiation has no end")
)

// A Stream is the state of one end. It is used by one goroutine at a time.
type Stream struct {
	end     End
	options [2][256]state
	at      int    // what the next octet is
	verb    byte   // WILL, WONT, DO, DONT whose option comes next
	sub     []byte // option and octets of the sub-negotiation that has begun
	cr      bool   // the last octet of data was a CR
	talk    int
	answers []byte
	rest    int
}

// What the next octet is.
const (
	inData = iota
	inCommand
	inOption
	inSub
	inSubCommand
)

// New returns a Stream in which every option is off.
func New(end End) *Stream { return &Stream{end: end} }

// Receive reads what has arrived.
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
		s.rest = len(in) - i - 1
		if err := s.octet(in[i]); err != nil {
			return err
		}
		i++
	}
	return nil
}

// Rest is how many octets had arrived behind what End is being told of.
func (s *Stream) Rest() int { return s.rest }

// Answers takes what is to be sent.
func (s *Stream) Answers() []byte {
	out := s.answers
	s.answers = nil
	return out
}

// data passes on what stands before the next IAC, without the NUL of CR NUL (RFC 854), and returns how many octets that were.
func (s *Stream) data(in []byte) (n int, err error) {
	binary := s.On(Them, Binary)
	from := 0
	for n < len(in) && in[n] != IAC {
		c := in[n]
		if c == 0 && s.cr && !binary {
			if err := s.pass(in[from:n]); err != nil {
				return n, err
			}
			from = n + 1
		}
		s.cr = c == '\r'
		n++
	}
	return n, s.pass(in[from:n])
}

func (s *Stream) pass(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	s.talk = max(0, s.talk-len(p))
	return s.end.Data(p)
}

// octet reads one octet that is no plain data.
func (s *Stream) octet(c byte) error {
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
		return s.subOctet(c)
	}
	return s.subCommand(c)
}

func (s *Stream) command(c byte) error {
	s.at = inData
	if c == IAC { // RFC 854: a doubled IAC is one octet of data
		s.cr = false
		return s.pass([]byte{IAC})
	}
	if s.talk++; s.talk > maxTalk {
		return ErrEndless
	}
	switch {
	case c >= WILL:
		s.verb, s.at = c, inOption
		return nil
	case c == SB:
		s.sub, s.at = s.sub[:0], inSub
		return nil
	case c == SE: // of nothing
		return nil
	}
	return s.end.Command(c)
}

func (s *Stream) subOctet(c byte) error {
	s.at = inSub
	if s.sub = append(s.sub, c); len(s.sub) > maxSub {
		return ErrLong
	}
	return nil
}

// subCommand reads what follows an IAC within a sub-negotiation.
func (s *Stream) subCommand(c byte) error {
	switch {
	case c == IAC:
		return s.subOctet(IAC)
	case c != SE:
		// QUIRK: RFC 855 knows nothing but IAC and SE here; BSD's telnet takes anything else for a forgotten SE, and so do we.
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
	return s.end.Sub(s.sub[0], s.sub[1:])
}

// Sub queues a sub-negotiation.
func (s *Stream) Sub(opt byte, p ...byte) {
	s.answers = append(s.answers, IAC, SB, opt)
	s.answers = appendDoubled(s.answers, p)
	s.answers = append(s.answers, IAC, SE)
}

// Say queues a command.
func (s *Stream) Say(cmd byte) { s.answers = append(s.answers, IAC, cmd) }

// Escape appends data as it is sent: IAC is doubled, and outside binary transmission a line ends with CR LF and a lone CR is CR NUL
// (RFC 854 "The NVT printer and keyboard"). A CR LF must not be cut in two by two calls.
func (s *Stream) Escape(dst, data []byte) []byte {
	if s.On(Us, Binary) {
		return appendDoubled(dst, data)
	}
	for i, c := range data {
		switch {
		case c == IAC:
			dst = append(dst, IAC, IAC)
		case c == '\r' && (i+1 == len(data) || data[i+1] != '\n'):
			dst = append(dst, '\r', 0)
		case c == '\n' && (i == 0 || data[i-1] != '\r'):
			dst = append(dst, '\r', '\n')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

func appendDoubled(dst, p []byte) []byte {
	for _, c := range p {
		if dst = append(dst, c); c == IAC {
			dst = append(dst, IAC)
		}
	}
	return dst
}
