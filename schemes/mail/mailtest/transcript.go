package mailtest

import (
	"bytes"
	"sync"
)

// transcript remembers what was said, up to a bound: a server that is left running for days must not grow.
type transcript struct {
	mu sync.Mutex
	b  bytes.Buffer
}

const maxTranscript = 1 << 20

func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.b.Len()+len(p) <= maxTranscript {
		t.b.Write(p)
	}
	return len(p), nil
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}
