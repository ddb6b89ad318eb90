package fetchtest

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"runtime/metrics"
	"slices"
	"strconv"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
)

// What the server sends in checkMemory, and what a client may keep of it.
const (
	floodSize   = 512 << 10 // bytes of a line without an end
	mayKeep     = floodSize / 2
	largeFlood  = 20 << 20 // where a client has kept more of the first
	mayHold     = 18 << 20
	smallReply  = 64 << 10 // Limits.Reply
	smallLine   = 4 << 10  // Limits.Line
	bigLength   = 64 << 20 // a length that the server announces, without sending as much
	mayAllocate = bigLength / 2
	maxFloods   = 3
	maxLengths  = 10
)

// checkMemory: the client limits how much it reads of an endless line, and does not allocate memory for a length that is only announced.
func checkMemory(x *subject) error {
	return errors.Join(x.checkFlood(), x.checkAnnouncedLengths())
}

// checkFlood: the server sends a line without an end in place of each of its lines. The client keeps of it only as much as the limits of a
// reply and a line allow, or as a limit of its own.
func (x *subject) checkFlood() error {
	list := x.serverLines()
	for i := 0; i < len(list); i += max(1, len(list)/maxFloods) {
		kept, err := x.flood(list[i], floodSize)
		if err == nil && kept > mayKeep+x.script.Bytes() {
			if kept, err = x.flood(list[i], largeFlood); kept <= mayHold {
				continue
			}
			err = errors.Join(err, fmt.Errorf("the client keeps %d bytes with Limits.Line %d and Limits.Reply %d: read lines by Conn.ReadLine, and "+
				"call Conn.BeginReply before a reply, or bound your reader", kept, smallLine, smallReply))
		}
		if err != nil {
			return fmt.Errorf("line %d is endless: %w", x.script.Lines[list[i]].Pos, err)
		}
	}
	return nil
}

// flood replaces line i by one of size bytes without an end. It returns how many of these bytes the client has kept at most.
func (x *subject) flood(i, size int) (kept int, err error) {
	v := x.replaced(i, bytes.Repeat([]byte("x"), size))
	v.script.Lines = append(v.script.Lines, dialogue.Line{Dir: '*', Conn: x.script.Lines[i].Conn, Mark: dialogue.End})
	passed := 0
	a := v.loosely()
	a.mute = true // a trace of the flood would be larger than what the client keeps
	a.tune = func(c *fetch.Client) { c.Limits.Reply, c.Limits.Line = smallReply, smallLine }
	a.read = func(d *fetch.Document) ([]byte, error) {
		b := make([]byte, 4<<10)
		for {
			kept = max(kept, a.player.Taken()-passed)
			n, err := d.Body.Read(b)
			if passed += n; err != nil {
				return nil, nil
			}
		}
	}
	_, err = a.run()
	return max(kept, a.player.Taken()-passed), err
}

// checkAnnouncedLengths: in place of each number of the server's lines comes a large one.
func (x *subject) checkAnnouncedLengths() error {
	tried := 0
	for _, i := range x.serverLines() {
		l := x.script.Lines[i]
		for _, data := range enlarged(l.Data) {
			if tried++; tried > maxLengths {
				return nil
			}
			v := x.replaced(i, data)
			v.script.Lines = append(v.script.Lines, x.script.Lines[i+1:]...)
			least := uint64(bigLength)
			for try := 0; try < 3 && least > mayAllocate; try++ { // other tests allocate, too
				a := v.loosely()
				before := allocated()
				if _, err := a.run(); err != nil {
					return fmt.Errorf("line %d is %q: %w", l.Pos, clip(data), err)
				}
				least = min(least, allocated()-before)
			}
			if least > mayAllocate {
				return fmt.Errorf("line %d is %q, and the client allocates %d MiB before these bytes arrive: do not allocate what a peer announces; "+
					"let a buffer grow, or compare the length with Env.Limits first", l.Pos, clip(data), least>>20)
			}
		}
	}
	return nil
}

// serverLines returns the indexes of the server's lines on connections.
func (x *subject) serverLines() (list []int) {
	for i, l := range x.script.Lines {
		if l.Dir == 'S' && l.Conn > 0 && len(l.Data) > 0 {
			list = append(list, i)
		}
	}
	return list
}

// replaced returns a copy of the subject whose script ends with data in place of line i.
func (x *subject) replaced(i int, data []byte) *subject {
	v := *x
	l := x.script.Lines[i]
	l.Data = data
	v.script = &dialogue.Script{Lines: append(slices.Clone(x.script.Lines[:i]), l)}
	return &v
}

// enlarged returns variants of data with a large number: each decimal one in a text, and at each of the first places in binary data.
func enlarged(data []byte) (list [][]byte) {
	for _, at := range regexp.MustCompile(`\d+`).FindAllIndex(data, -1) {
		list = append(list, slices.Concat(data[:at[0]], []byte(strconv.Itoa(bigLength)), data[at[1]:]))
	}
	if !slices.ContainsFunc(data, func(c byte) bool { return c >= 0x7f || c < ' ' && c != '\t' && c != '\r' && c != '\n' }) {
		return list
	}
	big := []byte{bigLength >> 24, bigLength >> 16 & 0xff, bigLength >> 8 & 0xff, bigLength & 0xff}
	for i := 0; i+len(big) <= len(data) && i < maxLengths; i++ {
		list = append(list, slices.Concat(data[:i], big, data[i+len(big):]))
	}
	return list
}

// allocated returns how many bytes the process has allocated so far.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func clip(b []byte) []byte { return b[:min(len(b), 80)] }
