package retrieve

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
)

// progress is a line on standard error that says how far things are. It is our own, since the bars of mpb cost a third of a
// millisecond of every start, a tenth of the time of a small document (GODEBUG=inittrace=1: stripansi, go-runewidth, mpb).
type progress struct {
	w     *os.File
	width int
	many  bool

	mu           sync.Mutex
	began        time.Time
	size         int64              // of the one document, -1 unknown
	octets       int64              // that were read, or have all been moved
	bodies       map[*followed]bool // that are being moved by the system
	done, failed int
	shown        bool
}

// A thing that lasts less than a second is over before anybody has read how far it is.
const (
	showAfter = time.Second
	showEvery = 200 * time.Millisecond
)

// newProgress returns nil where nothing is to be shown: nobody looks, or other lines tell.
func (f *Flags) newProgress(a *app.App) *progress {
	if f.progress == "none" || f.progress == "auto" && (f.silent || f.Verbose || !terminal.IsTerminal(a.Stderr)) {
		return nil
	}
	p := &progress{w: a.Stderr, width: 79, many: f.isMany(), size: -1, bodies: map[*followed]bool{}}
	if w, _, err := term.GetSize(int(a.Stderr.Fd())); err == nil && w > 20 {
		p.width = min(w-1, 120)
	}
	if f.progress == "auto" && !p.many && terminal.IsTerminal(a.Stdout) && !f.remoteName && len(f.out) == 0 {
		return nil // the document itself is on the screen
	}
	return p
}

// start shows the line until stop is called.
func (p *progress) start() (stop func()) {
	if p == nil {
		return func() {}
	}
	p.began, p.octets, p.size = time.Now(), 0, -1
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for wait := showAfter; ; wait = showEvery {
			select {
			case <-done:
				return
			case <-time.After(wait):
				p.show()
			}
		}
	}()
	return func() {
		close(done)
		<-over
		p.aside(func() {})
	}
}

// ended counts an item of many.
func (p *progress) ended(err error) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done++; err != nil {
		p.done, p.failed = p.done-1, p.failed+1
	}
}

// aside takes the line away while something else is printed.
func (p *progress) aside(print func()) {
	if p == nil {
		print()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		io.WriteString(p.w, "\r"+strings.Repeat(" ", p.width)+"\r")
		p.shown = false
	}
	print()
}

func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	octets := p.octets
	for b := range p.bodies {
		octets += b.moved()
	}
	line := p.line(octets, time.Since(p.began))
	io.WriteString(p.w, "\r"+line+strings.Repeat(" ", max(0, p.width-len(line))))
	p.shown = true
}

// line is what is shown: so many documents, or so much of one.
func (p *progress) line(n int64, took time.Duration) string {
	speed := terminal.FormatBytes(int64(float64(n)/took.Seconds())) + "/s"
	clock := took.Round(time.Second).String()
	switch {
	case p.many:
		s := fmt.Sprintf("%d documents, %s, %s, %s", p.done, terminal.FormatBytes(n), speed, clock)
		if p.failed > 0 {
			s += fmt.Sprintf(", %d failed", p.failed)
		}
		return clip(s, p.width)
	case p.size <= 0:
		return clip(fmt.Sprintf("%s, %s, %s", terminal.FormatBytes(n), speed, clock), p.width)
	}
	part := min(1, float64(n)/float64(p.size))
	text := fmt.Sprintf(" %3.0f%% %s of %s, %s", part*100, terminal.FormatBytes(n), terminal.FormatBytes(p.size), speed)
	if n > 0 && part < 1 {
		text += ", " + time.Duration(float64(took)*(1-part)/part).Round(time.Second).String() + " left"
	}
	bar := max(0, p.width-len(text)-2)
	full := int(part * float64(bar))
	return clip("["+strings.Repeat("=", full)+strings.Repeat(" ", bar-full)+"]"+text, p.width)
}

func clip(s string, n int) string { return s[:min(len(s), n)] }

// follow counts the octets of what o saves.
func (p *progress) follow(o *save.Options) {
	if p == nil {
		return
	}
	further := o.Opened
	o.Opened = func(d *fetch.Document) error {
		p.mu.Lock()
		if !p.many {
			p.octets, p.size = d.Offset, d.Size
		}
		p.mu.Unlock()
		d.Body = &followed{ReadCloser: d.Body, of: p}
		if further != nil {
			return further(d)
		}
		return nil
	}
}

// followed is a Body that is counted.
type followed struct {
	io.ReadCloser
	of   *progress
	file *os.File // that octets go into without passing through here
	from int64
}

func (b *followed) Read(q []byte) (int, error) {
	n, err := b.ReadCloser.Read(q)
	b.of.mu.Lock()
	b.of.octets += int64(n)
	b.of.mu.Unlock()
	return n, err
}

// WriteTo leaves the moving of octets to the Body where they go into a regular file, which knows how long it has become.
func (b *followed) WriteTo(w io.Writer) (int64, error) {
	f, ok := w.(*os.File)
	if ok {
		fi, err := f.Stat()
		ok = err == nil && fi.Mode().IsRegular()
	}
	if !ok {
		return io.Copy(w, struct{ io.Reader }{b})
	}
	from, _ := f.Seek(0, io.SeekCurrent)
	b.pour(f, from)
	n, err := io.Copy(w, b.ReadCloser)
	b.pour(nil, 0)
	b.of.mu.Lock()
	b.of.octets += n
	b.of.mu.Unlock()
	return n, err
}

func (b *followed) pour(f *os.File, from int64) {
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	b.file, b.from = f, from
	if delete(b.of.bodies, b); f != nil {
		b.of.bodies[b] = true
	}
}

// moved is how much has gone into the file so far; p.mu is held.
func (b *followed) moved() int64 {
	at, err := b.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0
	}
	return at - b.from // splice moves the file's offset
}
