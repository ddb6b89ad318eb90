package fetch

import (
	"cmp"
	"time"
)

// Limits bound how much a peer can make the Client store or do. A zero field means its default; a negative one means no limit.
type Limits struct {
	Document int64 // bytes of a Body, default none
	Line     int   // bytes of one line, default 16 KiB
	Reply    int   // bytes of one reply, header block or frame (Conn.BeginReply), default 1 MiB
	Entries  int64 // entries of one listing, default 10 million
	Nesting  int   // depth of recursive structures, and of requests within requests (Env.Get), default 50
	Requests int   // requests that are made within one request, in total: by handlers (Env.Get), and for referrals, default 1000
}

func (l Limits) withDefaults() Limits {
	l.Document = cmp.Or(l.Document, -1)
	l.Line = cmp.Or(l.Line, 16<<10)
	l.Reply = cmp.Or(l.Reply, 1<<20)
	l.Entries = cmp.Or(l.Entries, 10_000_000)
	l.Nesting = cmp.Or(l.Nesting, 50)
	l.Requests = cmp.Or(l.Requests, 1000)
	return l
}

// Timeouts bound the time spent waiting. A zero field means its default; a negative one means no deadline.
type Timeouts struct {
	Connect time.Duration // name lookup and connection, default 15 s
	Idle    time.Duration // a reply, header block, frame or handshake (Conn.BeginReply), and any other silence; default 60 s
	Total   time.Duration // the request from its start to the end of its Body, default none
}

const (
	defaultConnect = 15 * time.Second // the fourth SYN is sent after 15 s; hosts that have not answered by then will not
	defaultIdle    = 60 * time.Second // slow tape robots and overloaded servers answer within a minute
	poolIdle       = 30 * time.Second // below the shortest idle time of common servers
)

// A body of which fewer than slowBytes arrive in slowTime is given up, however steadily they arrive.
const (
	slowBytes = 1 << 10
	slowTime  = 10 * time.Minute
)

// replyRate is how many bytes of a reply must arrive per second after the first Timeouts.Idle. At this rate, that of a modem of 2400 bit/s,
// the longest reply that the default of Limits.Reply allows takes 70 minutes.
const replyRate = 256

// stopped is a delay: if a waiting Read returns that long after its deadline, the process was stopped.
const stopped = time.Second

func (t Timeouts) withDefaults() Timeouts {
	t.Connect = cmp.Or(t.Connect, defaultConnect)
	t.Idle = cmp.Or(t.Idle, defaultIdle)
	t.Total = cmp.Or(t.Total, -1)
	return t
}
