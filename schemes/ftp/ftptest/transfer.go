package ftptest

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/pieces"
	"example.org/deref/schemes/internal/lineproto"
)

// cmdTYPE knows A, A N, I and L 8 (RFC 959 §3.1.1).
func (x *session) cmdTYPE(arg string) {
	switch strings.ToUpper(arg) {
	case "A", "A N":
		x.ascii = true
		x.reply(200, "TYPE is now ASCII")
	case "I", "L 8", "L8":
		x.ascii = false
		x.reply(200, "TYPE is now IMAGE")
	default:
		x.reply(504, "TYPE "+loopback.Printable(arg)+" is not supported")
	}
}

func (x *session) cmdMODE(arg string) { x.only("MODE", "S", arg) }
func (x *session) cmdSTRU(arg string) { x.only("STRU", "F", arg) }

func (x *session) only(verb, known, arg string) {
	if !strings.EqualFold(arg, known) {
		x.reply(504, verb+" "+loopback.Printable(arg)+" is not supported")
		return
	}
	x.reply(200, verb+" is "+known)
}

// cmdREST (RFC 3659 §5) counts bytes as they are transferred.
func (x *session) cmdREST(arg string) {
	n, err := strconv.ParseInt(arg, 10, 64)
	if err != nil || n < 0 {
		x.reply(501, "REST needs a number")
		return
	}
	x.rest = n
	x.reply(350, fmt.Sprintf("Restarting at %d, if RETR is next", n))
}

// cmdRETR sends a file.
func (x *session) cmdRETR(arg string) {
	offset := x.rest
	x.rest = 0 // for one transfer only
	if x.f.IgnoreREST {
		offset = 0
	}
	if x.files++; x.f.Transfers > 0 && x.files > x.f.Transfers {
		x.reply(421, "That was enough, goodbye")
		x.done = true
		return
	}
	abs, fi, ok := x.regular(arg)
	if !ok {
		return
	}
	file, err := x.fsys.Open(inFS(abs))
	if err != nil {
		x.reply(550, loopback.Printable(arg)+": Permission denied")
		return
	}
	defer file.Close()
	if !x.ascii && offset > fi.Size() && !x.o.EmptyBeyondEnd {
		x.reply(554, "Offset beyond the end of the file") // RFC 1123 section 4.1.3.4
		return
	}
	body := x.represent(file)
	if err := skip(body, offset); err != nil {
		x.reply(554, "Offset beyond the end of the file")
		return
	}
	size := fi.Size()
	if x.f.SizeIn150 != nil {
		size = *x.f.SizeIn150
	}
	x.send("RETR", body, fmt.Sprintf("Opening %s mode data connection for %s (%d bytes)", x.typeName(), loopback.Printable(arg), size))
}

func (x *session) typeName() string {
	if x.ascii {
		return "ASCII"
	}
	return "BINARY"
}

// represent converts a file to the current type.
func (x *session) represent(file io.Reader) io.Reader {
	switch {
	case !x.ascii:
		return file
	case x.o.DoubleCR:
		return doubled(file)
	}
	return lineproto.NewLineReader(file)
}

// doubled turns every LF of a file into CR LF.
func doubled(file io.Reader) io.Reader {
	in := make([]byte, 4096)
	return pieces.NewReader(func() ([]byte, error) {
		n, err := file.Read(in)
		return bytes.ReplaceAll(in[:n], []byte("\n"), []byte("\r\n")), err
	})
}

// skip moves to an offset, by seeking if the file can.
func skip(r io.Reader, n int64) error {
	if n == 0 {
		return nil
	}
	if s, ok := r.(io.Seeker); ok {
		_, err := s.Seek(n, io.SeekStart)
		return err
	}
	_, err := io.CopyN(io.Discard, r, n)
	return err
}
