package batch

// A seat is the fetch.Sharer of the item that a goroutine is working on.
type seat struct {
	q  *queue
	it *Item
}

// mayJoin reports whether the item's request may join the connection of another one.
func (q *queue) mayJoin(it *Item) bool {
	return q.options.joining > 0 && !it.own && !it.host.own.Load()
}

// Join makes room for another item that may open a connection.
func (s *seat) Join() {
	q, it := s.q, s.it
	q.mu.Lock()
	defer q.mu.Unlock()
	if it.joined {
		return
	}
	it.joined = true
	it.host.joined++
	q.busy--
	q.offer(it.host)
	q.work.Signal()
}

// MayOpen reports whether the item counts as one that may open a connection. If not, its try fails, and it is tried again as one that does. So
// are later items of the host, which may be redirected in the same way.
func (s *seat) MayOpen() bool {
	s.q.mu.Lock()
	defer s.q.mu.Unlock()
	if !s.it.joined {
		return true
	}
	s.it.own = true
	s.it.host.own.Store(true)
	return false
}

// leave undoes Join when the item's try has ended. The caller holds q.mu.
func (q *queue) leave(it *Item) {
	if it.joined {
		it.joined = false
		it.host.joined--
		q.busy++
	}
}
