package batch

import (
	"container/heap"
	"time"
)

// delayed is a host whose pause ends, or an item that is retried, at a certain time.
type delayed struct {
	at     time.Time
	server *server
	item   *Item // nil for the host
}

// later is a heap of delayed, the earliest first.
type later []delayed

func (l later) Len() int           { return len(l) }
func (l later) Less(i, j int) bool { return l[i].at.Before(l[j].at) }
func (l later) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l *later) Push(x any)        { *l = append(*l, x.(delayed)) }
func (l *later) Pop() any {
	old := *l
	x := old[len(old)-1]
	old[len(old)-1] = delayed{}
	*l = old[:len(old)-1]
	return x
}

// due puts back all items and hosts whose waiting time is over.
func (q *queue) due() {
	if len(q.later) == 0 {
		return
	}
	now := time.Now()
	for len(q.later) > 0 && !q.later[0].at.After(now) {
		d := heap.Pop(&q.later).(delayed)
		s := d.server
		if d.item != nil {
			s.delayed--
			s.push(d.item) // before items that were never started
		} else {
			s.waits = false
			if s.free.After(now) { // the pause was extended meanwhile
				q.offer(s)
				continue
			}
			s.free = time.Time{}
		}
		q.offer(s)
	}
}

// setAlarm makes a timer wake a worker at the next scheduled time.
func (q *queue) setAlarm() {
	if len(q.later) == 0 || q.rings.Equal(q.later[0].at) {
		return
	}
	if q.alarm != nil {
		q.alarm.Stop()
	}
	q.rings = q.later[0].at
	q.alarm = time.AfterFunc(time.Until(q.rings), func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.rings = time.Time{}
		q.work.Signal()
	})
}
