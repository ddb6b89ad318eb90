package fetch

import (
	"bytes"
	"net"
	"net/netip"
	"slices"
	"time"
)

// A trial finds the address of a host that answers datagrams. Datagrams to addresses that did not respond are sent to the next one, too.
// The first address that responds is the peer from then on.
type trial struct {
	host  string
	peers []netip.AddrPort
	tried int // of peers, from the first
	sent  []datagram
	next  time.Time // when the next address is tried
}

type datagram struct {
	port int // 0 is that of the peer
	data []byte
}

const (
	// trialDelay is how long an address may be silent before the next one is tried. Agents answer within a round trip, and a second datagram to
	// another address does no harm.
	trialDelay = 500 * time.Millisecond
	// maxTrialPeers bounds how many addresses a datagram is sent to.
	maxTrialPeers = 16
	// maxTrialDatagrams bounds how many datagrams are sent again to the next address.
	maxTrialDatagrams = 16
)

// sendTo sends b to all addresses that have been tried so far. If the system can reach none of them, it tries the next.
func (p *Packets) sendTo(b []byte, port int) error {
	t := p.trial
	isSame := func(d datagram) bool { return d.port == port && bytes.Equal(d.data, b) }
	if len(t.sent) < maxTrialDatagrams && !slices.ContainsFunc(t.sent, isSame) {
		t.sent = append(t.sent, datagram{port, bytes.Clone(b)})
	}
	var err error
	sent := false
	for at := range t.tried {
		if err = p.sendPeer(b, port, t.peers[at]); err == nil {
			sent = true
		}
	}
	for !sent && t.tried < len(t.peers) {
		err = p.sendToNext()
		sent = err == nil
	}
	if t.next.IsZero() {
		t.next = time.Now().Add(trialDelay)
	}
	if sent {
		return nil
	}
	return err
}

// sendToNext tries the next address.
func (p *Packets) sendToNext() (err error) {
	t := p.trial
	peer := t.peers[t.tried]
	t.tried++
	t.next = time.Now().Add(trialDelay)
	p.env.note(0, "", "no answer yet: trying %s, too", peer)
	for _, d := range t.sent {
		err = p.sendPeer(d.data, d.port, peer)
	}
	return err
}

func (p *Packets) sendPeer(b []byte, port int, to netip.AddrPort) error {
	to, err := p.at(to, port)
	if err != nil {
		return err
	}
	_, err = p.sock.WriteTo(b, net.UDPAddrFromAddrPort(to))
	return err
}

// waitUntil sets the deadline of the next read: t, or the time when the next address is tried, which more reports.
func (p *Packets) waitUntil(t time.Time) (more bool) {
	if x := p.trial; x != nil && x.tried < len(x.peers) && !x.next.IsZero() && (t.IsZero() || x.next.Before(t)) {
		t, more = x.next, true
	}
	p.sock.SetReadDeadline(t)
	return more
}

// isPeer reports whether from is the address of the peer. The first datagram from one ends the trial.
func (p *Packets) isPeer(from netip.Addr) bool {
	t := p.trial
	if t == nil {
		return from == p.peer.Addr()
	}
	i := slices.IndexFunc(t.peers[:t.tried], func(peer netip.AddrPort) bool { return peer.Addr() == from })
	if i < 0 {
		return false
	}
	p.peer, p.trial = t.peers[i], nil
	p.env.client.names.Worked(t.host, from)
	return true
}
