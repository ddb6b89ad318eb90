package prosperotest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"

	"example.org/deref/schemes/prospero/internal/wire"
)

// An Echo is an in-memory server for tests of what clients send. Its replies contain one value wherever possible. It parses each message
// into the words of its lines.
type Echo struct {
	value  string
	direct bool // it sends objects itself; otherwise they are directories
	s      Server
	said   []string
	err    error
}

// NewEcho returns an Echo of value.
func NewEcho(value string, direct bool) *Echo { return &Echo{value: value, direct: direct} }

// Hear handles a datagram, and returns the replies.
func (e *Echo) Hear(datagram []byte) [][]byte {
	h, data, err := wire.Decode(datagram)
	if err != nil {
		e.err = errors.Join(e.err, err)
		return nil
	}
	if (h.Number == 0 || h.Option == wire.Refused) && len(data) > 0 {
		e.err = errors.Join(e.err, fmt.Errorf("got the data %q in a packet that has none", data))
	}
	return e.s.talk(&net.UDPAddr{}, h.CID).take(h, data, e.answer)
}

// Said returns the lines of all messages, their words as `["VERB" "WORD" ...]`, without the first two lines of each message. If the input
// is not a sequence of messages, it returns an error.
func (e *Echo) Said() ([]string, error) { return e.said, e.err }

func (e *Echo) answer(message []byte) []byte {
	if !bytes.HasSuffix(message, []byte("\n")) {
		e.err = errors.Join(e.err, fmt.Errorf("got the message %q without a line end", message))
	}
	var out bytes.Buffer
	scan := wire.NewScanner(bytes.NewReader(message), maxLine)
	for n := 0; ; n++ {
		line, err := scan.Line()
		if err != nil {
			if err != io.EOF || n < 3 {
				e.err = errors.Join(e.err, fmt.Errorf("got the message %q: %w", message, err))
			}
			return out.Bytes()
		}
		words := fmt.Sprintf("%q", line)
		if n < 2 {
			if want := []string{`["VERSION" "5"]`, `["AUTHENTICATE" "" "UNAUTHENTICATED" "guest"]`}[n]; words != want {
				e.err = errors.Join(e.err, fmt.Errorf("got the line %s, want %s", words, want))
			}
			continue
		}
		e.said = append(e.said, words)
		quoted := wire.Quote(e.value)
		switch {
		case line[0] == "LIST":
			fmt.Fprintf(&out, "LINK L DIRECTORY %s INTERNET-D %s ASCII %s 0 0\n", quoted, quoted, quoted)
		case line[0] != "GET-OBJECT-INFO":
		case !e.direct:
			out.WriteString("FAILURE NOT-FOUND " + quoted + "\n")
		case len(line) > 1 && line[1] == "CONTENTS":
			fmt.Fprintf(&out, "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA %s\n", quoted)
		default:
			fmt.Fprintf(&out, "ATTRIBUTE OBJECT INTRINSIC %s SEQUENCE %s\nATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS %s '' '' ''\n", quoted, quoted, quoted)
		}
	}
}
