package dialogue

import (
	"crypto/rand"
	"encoding/hex"
)

// Random fills b with the bytes of the script's next [random] line of that length. If there is none, the bytes are random. It is a fetch.Client's
// Random.
func (p *Player) Random(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := p.drawn; i < len(p.script.Lines); i++ {
		l := &p.script.Lines[i]
		if l.Mark != Random || len(l.Arg) != hex.EncodedLen(len(b)) {
			continue
		}
		p.drawn = i + 1
		hex.Decode(b, []byte(l.Arg)) // Parse has checked it
		return
	}
	rand.Read(b)
}
