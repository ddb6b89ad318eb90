package check

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// A Cache remembers good links, so that a later run sends fewer requests. It is a file of JSON Lines that is read and written as a whole.
// Entries that are too old, and bad links, are checked again. A nil Cache remembers nothing.
type Cache struct {
	path  string
	age   time.Duration
	mu    sync.Mutex
	known map[string]cached
}

type cached struct {
	URI     string    `json:"uri"`
	Verdict Verdict   `json:"verdict"`
	Final   string    `json:"final_uri,omitempty"`
	Forever bool      `json:"permanent,omitempty"`
	At      time.Time `json:"at"`
}

// maxCached bounds the entries held.
const maxCached = 500_000

// OpenCache reads the file path, which need not exist yet. Entries older than age are dropped.
func OpenCache(path string, age time.Duration) (*Cache, error) {
	c := &Cache{path: path, age: age, known: map[string]cached{}}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, maxLine)
	for in.Scan() && len(c.known) < maxCached {
		var e cached
		if json.Unmarshal(in.Bytes(), &e) == nil && time.Since(e.At) < age && !e.At.After(time.Now()) && !e.Verdict.IsBad() {
			c.known[e.URI] = e
		}
	}
	return c, fetch.LineError(in.Err(), maxLine)
}

// lookup fills in r if it is cached.
func (c *Cache) lookup(r *Result) bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	e, ok := c.known[r.Name()]
	c.mu.Unlock()
	if !ok {
		return false
	}
	r.Verdict, r.Permanent, r.Cached = e.Verdict, e.Forever, true
	r.Final, _ = uri.Parse(e.Final)
	return true
}

func (c *Cache) note(r *Result) {
	if c == nil || r.Verdict != OK && r.Verdict != Redirected || r.Err != nil || r.forced {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) < maxCached {
		e := cached{URI: r.Name(), Verdict: r.Verdict, Forever: r.Permanent, At: time.Now()}
		e.Final = r.FinalName()
		c.known[e.URI] = e
	}
}

// Save replaces the file. At any moment it has either the old contents or the new.
func (c *Cache) Save() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := save.Rewrite(c.path, 0o600, c.write)
	return err
}

func (c *Cache) write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, e := range c.known {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}
