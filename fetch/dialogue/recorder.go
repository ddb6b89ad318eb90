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
	// Brief is for people (`deref -v`): of protocols of lines the lines, of the others the steps in words, no bodies.
	Brief bool

	mu    sync.Mutex
	w     io.Writer
	err   error
	ids   map[int]int     // the Client's numbers of connections: ours
	conds map[string]bool // conditions that have come true
	held  Line            // octets whose line is not finished
	steps []fetch.Step    // Brief: announced, and not yet said in lines
}

// NewRecorder returns a Recorder that writes to w.
func NewRecorder(w io.Writer) *Recorder {
	return &Recorder{w: w, ids: map[int]int{0: 0}, conds: map[string]bool{}}
}

// Comment writes lines that the script's readers skip.
func (r *Recorder) Comment(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for line := range strings.Lines(text) {
		r.print([]byte("# " + clean(strings.TrimRight(line, "\r\n")) + "\n"))
	}
}

// Flush writes what was held back and returns the first error of writing.
func (r *Recorder) Flush() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inWords()
	return r.err
}

// Trace takes one event.
func (r *Recorder) Trace(e fetch.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	conn := r.id(e.Conn)
	switch {
	case e.Dir != fetch.InWords:
		r.octets(e, conn)
	case e.Step != nil:
		r.say(*e.Step)
	default:
		r.happen(e, conn)
	}
}

// id numbers connections in the order in which this request first used them.
func (r *Recorder) id(conn int) int {
	n, ok := r.ids[conn]
	if !ok {
		n = len(r.ids)
		r.ids[conn] = n
	}
	return n
}

// maxHeld bounds a line that is held until it is finished.
const maxHeld = 4 << 10

func (r *Recorder) octets(e fetch.Event, conn int) {
	if r.Brief && !e.Text {
		r.inWords()
		return
	}
	if e.Dir == fetch.FromClient {
		r.steps = nil // its octets say them
	} else if len(r.steps) > 0 {
		r.inWords()
	}
	if r.held.Dir != e.Dir || r.held.Conn != conn || conn == 0 {
		r.release()
	}
	r.held.Dir, r.held.Conn = e.Dir, conn
	r.held.Data = append(r.held.Data, e.Data...)
	if n := len(r.held.Data); conn == 0 || n >= maxHeld || n > 0 && r.held.Data[n-1] == '\n' {
		r.release()
	}
}

// inWords writes the steps that no line has said.
func (r *Recorder) inWords() {
	r.release()
	for _, s := range r.steps {
		r.print(Line{Dir: '*', Conn: 1, Words: Words(s)}.append(nil))
	}
	r.steps = nil
}

// release writes what was held back of a line.
func (r *Recorder) release() {
	if r.held.Dir != 0 {
		r.print(r.held.append(nil))
	}
	r.held = Line{Data: r.held.Data[:0]}
}

func (r *Recorder) say(s fetch.Step) {
	r.release()
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

func (r *Recorder) happen(e fetch.Event, conn int) {
	r.release()
	if r.Brief && e.Mark == fetch.MarkRandom {
		return // for replays alone
	}
	if r.Brief && e.Mark == "" {
		r.inWords() // a referral comes of what was done
	}
	l := Line{Dir: '*', Conn: max(conn, 1), Mark: remark, Arg: e.Note}
	switch e.Mark {
	case fetch.MarkOpen:
		if how, ok := strings.CutPrefix(e.Note, "connected "); ok {
			l.Mark, l.Arg = Connected, how
		}
	case fetch.MarkListen:
		l.Mark, l.Arg = Listening, strings.TrimPrefix(e.Note, "listening ")
	case fetch.MarkRefused:
		l.Mark, l.Arg = Refused, ""
	case fetch.MarkTLS:
		l.Mark, l.Arg = TLS, strings.TrimPrefix(e.Note, "TLS ")
	case fetch.MarkEnd:
		l.Mark, l.Arg = End, ""
	case fetch.MarkRandom:
		l.Mark, l.Arg = Random, strings.TrimPrefix(e.Note, "random ")
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
		r.err = fmt.Errorf("the dialogue could not be written: %w", err)
	}
}
