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

// progress is a line on standard error that shows progress. We do not use mpb, whose packages take a third of a millisecond at every start, a tenth
// of the time of a small document (GODEBUG=inittrace=1: stripansi, go-runewidth, mpb).
type progress struct {
	w     *os.File
	width int
	many  bool
	items int // of many: how many there are, 0 if unknown

	mu           sync.Mutex
	began        time.Time
	size         int64 // of the one document, -1 if unknown; of many, the sum of the known sizes
	had          int64 // bytes of the document that were there before, with -C
	bytes        int64 // that were read
	unknown      bool  // of many: a document without a size
	opened       int
	done, failed int
	shown        bool
}

// Nothing is shown for the first second, in which most documents are complete.
const (
	showAfter = time.Second
	showEvery = 200 * time.Millisecond
)

// newProgress returns nil if no progress is shown: standard error is not a terminal, or other output shows it.
func (f *Flags) newProgress(a *app.App) *progress {
	if f.progress == "none" || f.progress == "auto" && (f.silent || f.Verbose || !terminal.IsTerminal(a.Stderr)) {
		return nil
	}
	p := &progress{w: a.Stderr, width: 79, many: f.isMany(), size: -1}
	if w, _, err := term.GetSize(int(a.Stderr.Fd())); err == nil && w > 20 {
		p.width = min(w-1, 120)
	}
	if f.progress == "auto" && !p.many && terminal.IsTerminal(a.Stdout) && !f.remoteName && len(f.out) == 0 {
		return nil // the document itself appears on the screen
	}
	return p
}

// start shows the line until stop is called.
func (p *progress) start() (stop func()) {
	if p == nil {
		return func() {}
	}
	p.began, p.bytes, p.had, p.size = time.Now(), 0, 0, -1
	if p.many {
		p.size = 0
	}
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

// ended counts one of many items.
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

// aside removes the line while print prints something else.
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
	line := p.line(p.bytes, time.Since(p.began))
	io.WriteString(p.w, "\r"+line+strings.Repeat(" ", max(0, p.width-len(line))))
	p.shown = true
}

// line returns the text: the number of documents, or the progress of one. n counts the bytes received in this run, and only these make the rate.
// On a narrow terminal, the bar and the rate are omitted first.
func (p *progress) line(n int64, took time.Duration) string {
	speed := terminal.FormatBytes(int64(float64(n)/took.Seconds())) + "/s"
	clock := took.Round(time.Second).String()
	switch {
	case p.many:
		return p.manyLine(n, speed, clock)
	case p.size <= 0:
		return clip(fmt.Sprintf("%s, %s, %s", terminal.FormatBytes(p.had+n), speed, clock), p.width)
	}
	part := min(1, float64(p.had+n)/float64(p.size))
	text, left := fmt.Sprintf("%3.0f%% %s of %s", part*100, terminal.FormatBytes(p.had+n), terminal.FormatBytes(p.size)), ""
	if n > 0 && part < 1 {
		left = ", " + time.Duration(float64(took)*float64(p.size-p.had-n)/float64(n)).Round(time.Second).String() + " left"
	}
	for _, text := range []string{text + ", " + speed + left, text + left, text} {
		if bar := p.width - len(text) - len("[] "); bar >= leastBar {
			full := int(part * float64(bar))
			return "[" + strings.Repeat("=", full) + strings.Repeat(" ", bar-full) + "] " + text
		}
	}
	return clip(strings.TrimLeft(text+left, " "), p.width)
}

// leastBar is the width of the shortest bar that shows progress.
const leastBar = 8

// manyLine is line for several documents. It shows the total of their sizes once all have begun.
func (p *progress) manyLine(n int64, speed, clock string) string {
	bytes := terminal.FormatBytes(n)
	if p.size > 0 && !p.unknown && p.items > 0 && p.opened == p.items {
		bytes += " of " + terminal.FormatBytes(p.size)
	}
	failed := ""
	if p.failed > 0 {
		failed = fmt.Sprintf(", %d failed", p.failed)
	}
	count := fmt.Sprintf("%d documents", p.done)
	if p.items > 0 {
		count = fmt.Sprintf("%d of %d documents", p.done+p.failed, p.items)
	}
	long := fmt.Sprintf("%s, %s, %s, %s%s", count, bytes, speed, clock, failed)
	if len(long) <= p.width {
		return long
	}
	return clip(fmt.Sprintf("%s, %s%s", count, terminal.FormatBytes(n), failed), p.width)
}

func clip(s string, n int) string { return s[:min(len(s), n)] }

// follow counts the bytes of the document that o saves.
func (p *progress) follow(o *save.Options) {
	if p == nil {
		return
	}
	further := o.Opened
	o.Opened = func(d *fetch.Document) error {
		p.mu.Lock()
		p.opened++
		switch {
		case !p.many:
			p.bytes, p.had, p.size = 0, d.Offset, d.Size
		case d.Size < 0:
			p.unknown = true
		default:
			p.size += d.Size - d.Offset
		}
		p.mu.Unlock()
		d.Body = counted{d.Body, p}
		if further != nil {
			return further(d)
		}
		return nil
	}
}

// counted is a Body whose bytes are counted.
type counted struct {
	io.ReadCloser
	of *progress
}

func (b counted) Read(q []byte) (int, error) {
	n, err := b.ReadCloser.Read(q)
	b.of.mu.Lock()
	b.of.bytes += int64(n)
	b.of.mu.Unlock()
	return n, err
}
