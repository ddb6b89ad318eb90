package snmp

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"strconv"
	"time"

	"example.org/deref/fetch"
	"github.com/gosnmp/gosnmp"
)

// An agent is a socket to an SNMP agent, and the codec with the credentials.
type agent struct {
	*request
	net  *fetch.Packets
	env  *fetch.Env
	ctx  context.Context
	code *gosnmp.GoSNMP
	user *user // in version 3, else nil
	id   uint32
	in   []byte
}

// maxDatagram is the longest that UDP carries over IPv4.
const maxDatagram = 65507

// firstWait doubles with each of maxTries. An agent that has not responded after 15 seconds counts as silent. Agents do not respond to a wrong
// community, either (RFC 1157 section 4.1).
const (
	firstWait = time.Second
	maxTries  = 4
)

// open opens the socket and, for version 3, discovers the engine.
func (r *request) open(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*agent, error) {
	var id [4]byte
	env.Random(id[:])
	a := &agent{request: r, env: env, ctx: ctx, id: binary.BigEndian.Uint32(id[:])>>2 + 1, in: make([]byte, maxDatagram)}
	a.code = &gosnmp.GoSNMP{Community: cmp.Or(p.Options.Login.User, "public"), Version: r.version}
	var err error
	if r.version == gosnmp.Version3 {
		if a.user, err = userOf(p.Options, env); err != nil {
			return nil, err
		}
		a.code.SecurityModel = gosnmp.UserSecurityModel
		a.code.MsgFlags, a.code.SecurityParameters = a.user.level, a.user.usm
		a.code.ContextName, a.code.ContextEngineID = string(r.Context), r.engine
	}
	if a.net, err = env.Packets(ctx, p.Addr); err != nil {
		return nil, err
	}
	if a.user != nil {
		if err = env.Announce(p.When(ifUnknown)...); err == nil {
			err = a.discover()
		}
	}
	return a, err
}

// send sends one PDU and returns its response. It repeats the PDU once if the agent reports that the time is wrong.
func (a *agent) send(oids []string, bulk int) (*gosnmp.SnmpPacket, error) {
	if err := a.env.Announce(a.stepFor(oids, bulk)); err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		b, err := a.encode(oids, bulk)
		if err != nil {
			return nil, fetch.Errorf(fetch.ErrProtocol, "cannot encode the request: %w", err)
		}
		result, err := a.exchange(b, a.pdu)
		if err == nil && result.PDUType == gosnmp.Report {
			err = a.reported(result)
		}
		if err == errTime && try == 0 {
			continue
		}
		return result, err
	}
}

func (a *agent) encode(oids []string, bulk int) ([]byte, error) {
	if a.id++; a.id > 1<<31-2 {
		a.id = 1
	}
	pdus := make([]gosnmp.SnmpPDU, len(oids))
	for i, o := range oids {
		pdus[i] = gosnmp.SnmpPDU{Name: o, Type: gosnmp.Null}
	}
	a.code.SetRequestID(a.id - 1) // the codec increments it first
	a.code.SetMsgID(a.id - 1)
	if a.user != nil {
		a.user.tick()
	}
	return a.code.SnmpEncodePacket(a.pdu, pdus, 0, uint32(bulk))
}

// exchange sends a datagram, repeatedly, and returns the response. It ignores other datagrams, because anybody can send one.
func (a *agent) exchange(b []byte, kind gosnmp.PDUType) (*gosnmp.SnmpPacket, error) {
	if err := checkMessage(b, a.code, kind); err != nil {
		return nil, err
	}
	limit := time.Now().Add(firstWait * (1<<maxTries - 1))
	if idle := a.env.Timeouts().Idle; idle > 0 && time.Now().Add(idle).Before(limit) {
		limit = time.Now().Add(idle)
	}
	shown := b
	if a.user != nil {
		shown = withoutProtection(b)
	}
	var odd error
	for try := range maxTries {
		if err := a.net.SendShown(b, shown, 0); err != nil {
			return nil, err
		}
		until := time.Now().Add(firstWait << try)
		if until.After(limit) || try == maxTries-1 {
			until = limit
		}
		result, err := a.receive(until, &odd)
		if fetch.KindOf(err) != fetch.ErrTimeout || a.ctx.Err() != nil {
			return result, err
		}
		if !time.Now().Before(limit) {
			break
		}
	}
	if odd != nil {
		return nil, fetch.Errorf(fetch.ErrProtocol, "no response, but: %w", odd)
	}
	return nil, &fetch.Error{Kind: fetch.ErrTimeout, Text: "the agent does not respond", Hint: "an agent does not respond to an unknown community or user, either"}
}

// receive waits for the response. It stores in odd why other datagrams were dropped.
func (a *agent) receive(until time.Time, odd *error) (*gosnmp.SnmpPacket, error) {
	for {
		n, port, err := a.net.Receive(a.in, until)
		if err != nil {
			return nil, err
		}
		if port != a.net.Peer().Port {
			*odd = errors.New("a datagram from port " + strconv.Itoa(port))
			continue
		}
		result, err := a.decode(a.in[:n])
		if err == nil {
			if result.Version != a.code.Version {
				a.env.Deviates("RFC 1901 section 3", "the response", "another version than that of the request")
			}
			return result, nil
		}
		*odd = err
	}
}

// decode parses a response and checks that it belongs to the request.
//
// QUIRK: accept a version 1 response to a 2c request, as net-snmp 5.9 does (observed). Simple agents copy only the request ID, and both versions
// encode responses in the same way.
func (a *agent) decode(b []byte) (*gosnmp.SnmpPacket, error) {
	signed := a.user != nil && a.user.signed(b) // the codec does not check the digest, and overwrites it
	result, err := a.code.SnmpDecodePacket(b)
	switch {
	case err != nil:
		return nil, err
	case (result.Version == gosnmp.Version3) != (a.user != nil):
		return nil, errors.New("a response of another version")
	case result.PDUType != gosnmp.GetResponse && (result.PDUType != gosnmp.Report || a.user == nil):
		return nil, errors.New("a PDU that is not a response")
	case a.user != nil:
		return result, a.user.check(result, signed, a.id)
	case result.RequestID != a.id:
		return nil, errors.New("a response to another request")
	}
	return result, nil
}
