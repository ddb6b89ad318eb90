package promises_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"

	"example.org/deref/schemes/internal/ardp"
	"example.org/deref/schemes/prospero/prosperotest"
)

// A prosperoWire is an in-memory server. Its replies contain one value wherever possible. It parses each message
// into the words of its lines.
type prosperoWire struct {
	value  string
	direct bool // it sends objects itself; otherwise they are directories
	s      prosperotest.Server
	said   []string
	err    error
}

// Hear handles a datagram, and returns the replies.
func (e *prosperoWire) Hear(datagram []byte) [][]byte {
	h, data, err := ardp.Decode(datagram)
	if err != nil {
		e.err = errors.Join(e.err, err)
		return nil
	}
	if (h.Number == 0 || h.Option == ardp.Refused) && len(data) > 0 {
		e.err = errors.Join(e.err, fmt.Errorf("got the data %q in a packet that has none", data))
	}
	return e.s.Take(&net.UDPAddr{}, h, data, e.answer)
}

// Said returns the lines of all messages, their words as `["VERB" "WORD" ...]`, without the first two lines of each message. If the input
// is not a sequence of messages, it returns an error.
func (e *prosperoWire) Said() ([]string, error) { return e.said, e.err }

func (e *prosperoWire) answer(message []byte) []byte {
	if !bytes.HasSuffix(message, []byte("\n")) {
		e.err = errors.Join(e.err, fmt.Errorf("got the message %q without a line end", message))
	}
	var out bytes.Buffer
	scan := ardp.NewScanner(bytes.NewReader(message), 16<<10)
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
		quoted := ardp.Quote(e.value)
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
