package dialogue

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"example.org/deref/fetch"
)

// A Recorder writes the trace of a request as a script. Its method Trace is an Options.Trace.
type Recorder struct {
	// Brief selects the output of `deref -v`: lines for protocols of lines, decoded frames or steps for others, no
	// bodies. It cannot be replayed.
	Brief bool

	mu    sync.Mutex
	w     io.Writer
	err   error
	ids   map[int]int     // numbers of connections in the script, by those of the Client
	conds map[string]bool // conditions written
	held  Line            // an incomplete line
	steps []fetch.Step    // Brief: announced, and no line sent yet
}

// NewRecorder returns a Recorder that writes to w.
func NewRecorder(w io.Writer) *Recorder {
	return &Recorder{w: w, ids: map[int]int{0: 0}, conds: map[string]bool{}}
}

// Flush writes all buffered data and returns the first write error.
func (r *Recorder) Flush() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writeSteps()
	return r.err
}

// Trace writes one event.
func (r *Recorder) Trace(e fetch.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	conn := r.id(e.Conn)
	switch {
	case e.Dir != fetch.InWords:
		r.data(e, conn)
	case e.Step != nil:
		r.step(*e.Step)
	default:
		r.event(e, conn)
	}
}

// id returns the number of a connection, in the order in which the request used them first.
func (r *Recorder) id(conn int) int {
	n, ok := r.ids[conn]
	if !ok {
		n = len(r.ids)
		r.ids[conn] = n
	}
	return n
}

// maxHeld bounds the part of an incomplete line that is buffered.
const maxHeld = 4 << 10

func (r *Recorder) data(e fetch.Event, conn int) {
	if r.Brief && !e.Text {
		r.frames(e, conn)
		return
	}
	if !r.Brief && len(e.Frames) > 0 && len(e.Data) <= maxHeld {
		r.binary(e, conn)
		return
	}
	if e.Dir == fetch.FromClient {
		r.steps = nil // the line shows them
	} else if len(r.steps) > 0 {
		r.writeSteps()
	}
	if r.held.Dir != e.Dir || r.held.Conn != conn || conn == 0 {
		r.flushLine()
	}
	r.held.Dir, r.held.Conn = e.Dir, conn
	r.held.Data = append(r.held.Data, e.Data...)
	if n := len(r.held.Data); conn == 0 || n >= maxHeld || n > 0 && r.held.Data[n-1] == '\n' {
		r.flushLine()
	}
}

// binary writes bytes of a protocol of frames for people who will edit them: with the frames in words as comments, and with escapes instead of
// base64, so that a text in them can be found.
func (r *Recorder) binary(e fetch.Event, conn int) {
	r.flushLine()
	for _, words := range e.Frames {
		r.print(fmt.Appendf(nil, "# %c: %s\n", e.Dir, words))
	}
	r.print(appendFrame(nil, e.Dir, conn, e.Data))
}

// frames writes the frames of e in words. Those of the client show the steps that were announced.
func (r *Recorder) frames(e fetch.Event, conn int) {
	if e.Dir == fetch.FromClient && len(e.Frames) > 0 {
		r.steps = nil
	}
	r.writeSteps()
	for _, words := range e.Frames {
		r.print(append(append(appendHead(nil, e.Dir, conn, ':'), words...), '\n'))
	}
}

// writeSteps writes the steps that no line has shown.
func (r *Recorder) writeSteps() {
	r.flushLine()
	for _, s := range r.steps {
		r.print(Line{Dir: '*', Conn: 1, Words: Words(s)}.append(nil))
	}
	r.steps = nil
}

// flushLine writes the incomplete line.
func (r *Recorder) flushLine() {
	if r.held.Dir != 0 {
		r.print(r.held.append(nil))
	}
	r.held = Line{Data: r.held.Data[:0]}
}

func (r *Recorder) step(s fetch.Step) {
	r.flushLine()
	if r.Brief {
		r.steps = append(r.steps, s)
		return
	}
	if s.If != "" && !r.conds[s.If] {
		r.conds[s.If] = true
		r.print(Line{Dir: '*', Conn: 1, Mark: If, Arg: s.If}.append(nil))
	}
	r.print(Line{Dir: '*', Conn: 1, Words: Words(s)}.append(nil))
}

func (r *Recorder) event(e fetch.Event, conn int) {
	r.flushLine()
	if r.Brief && e.Mark == fetch.MarkRandom {
		return // only replays need it
	}
	if !r.Brief && (e.Mark == fetch.MarkCertificate || e.Mark == fetch.MarkProxy) {
		return // a replay uses neither TLS nor proxies
	}
	if r.Brief && e.Mark == "" {
		r.writeSteps() // a referral follows from these steps
	}
	l := Line{Dir: '*', Conn: max(conn, 1), Mark: Remark, Arg: e.Note}
	switch e.Mark {
	case fetch.MarkOpen, fetch.MarkListen, fetch.MarkTLS, fetch.MarkRandom: // notes that begin with the Mark of a script
		if word, arg, _ := strings.Cut(e.Note, " "); Mark(word).known() {
			l.Mark, l.Arg = Mark(word), arg
		}
	case fetch.MarkRefused:
		l.Mark, l.Arg = Refused, ""
	case fetch.MarkEnd:
		l.Mark, l.Arg = End, ""
	case fetch.MarkBroken:
		l.Mark, l.Arg = Cut, ""
	}
	r.print(l.append(nil))
}

func (r *Recorder) print(b []byte) {
	if r.err != nil {
		return
	}
	if _, err := r.w.Write(b); err != nil {
		r.err = fmt.Errorf("cannot write the dialogue: %w", err)
	}
}
