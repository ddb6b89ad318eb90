package mirror

import "sync"

// recent holds what was used lately, so that a file is not read for it again. It is safe for concurrent use.
type recent[K comparable, V any] struct {
	mu   sync.Mutex
	last map[K]V
	size int
}

// maxRecent bounds the bytes that are held, as their users count them: some thousand records, or ten thousand keys of URIs.
const maxRecent = 1 << 20

func (r *recent[K, V]) get(key K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.last[key]
	return v, ok
}

// put adds a value of so many bytes. If they become too many, it forgets the others.
func (r *recent[K, V]) put(key K, v V, size int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.size += size; r.last == nil || r.size > maxRecent {
		r.last, r.size = map[K]V{}, size
	}
	r.last[key] = v
}
