package snmp

import (
	"context"
	"encoding/binary"
	"errors"
	"strconv"
	"time"

	"example.org/deref/fetch"
	"github.com/gosnmp/gosnmp"
)

// An agent is who is asked: a socket, and the codec with the credentials.
type agent struct {
	net  *fetch.Packets
	env  *fetch.Env
	ctx  context.Context
	code *gosnmp.GoSNMP
	user *user // of version 3, else nil
	id   uint32
	in   []byte
}

// maxDatagram is the longest that UDP carries over IPv4.
const maxDatagram = 65507

// firstWait doubles with each of maxTries: 15 seconds in all, after which an agent is taken to be silent. It is so for those who do not
// name the right community, too (RFC 1157 section 4.1).
const (
	firstWait = time.Second
	maxTries  = 4
)

// open makes the socket and, for version 3, asks the agent who it is.
func open(ctx context.Context, p *fetch.Plan, env *fetch.Env, r *parts) (*agent, error) {
	var id [4]byte
	env.Random(id[:])
	a := &agent{env: env, ctx: ctx, id: binary.BigEndian.Uint32(id[:])>>2 + 1, in: make([]byte, maxDatagram)}
	login := p.Options.Login
	a.code = &gosnmp.GoSNMP{Community: login.User, Version: gosnmp.Version2c}
	if login.User == "" {
		a.code.Community = "public"
	}
	var err error
	switch p.Options.Get(setVersion) {
	case "1":
		a.code.Version = gosnmp.Version1
	case "3":
		if a.user, err = newUser(p.Options, env); err != nil {
			return nil, err
		}
		a.code.Version, a.code.SecurityModel = gosnmp.Version3, gosnmp.UserSecurityModel
		a.code.MsgFlags, a.code.SecurityParameters = a.user.level, a.user.usm
		a.code.ContextName, a.code.ContextEngineID = string(r.Context), r.engine()
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

// ask sends one PDU and returns the answer to it. It is sent once more if the agent only wants another time.
func (a *agent) ask(step fetch.Step, kind gosnmp.PDUType, oids []string, most int) (*gosnmp.SnmpPacket, error) {
	if err := a.env.Announce(step); err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		b, err := a.encode(kind, oids, most)
		if err != nil {
			return nil, fetch.Errorf(fetch.ErrProtocol, "the request cannot be written: %w", err)
		}
		result, err := a.exchange(kind, b)
		if err == nil && result.PDUType == gosnmp.Report {
			err = a.heed(result)
		}
		if _, ok := errors.AsType[late](err); ok {
			if try == 0 {
				continue
			}
			err = fetch.Errorf(fetch.ErrAuth, "%w", err)
		}
		return result, err
	}
}

func (a *agent) encode(kind gosnmp.PDUType, oids []string, most int) ([]byte, error) {
	if a.id++; a.id > 1<<31-2 {
		a.id = 1
	}
	pdus := make([]gosnmp.SnmpPDU, len(oids))
	for i, o := range oids {
		pdus[i] = gosnmp.SnmpPDU{Name: o, Type: gosnmp.Null}
	}
	a.code.SetRequestID(a.id - 1) // the codec counts before it writes
	a.code.SetMsgID(a.id - 1)
	if a.user != nil {
		a.user.tick()
	}
	return a.code.SnmpEncodePacket(kind, pdus, 0, uint32(most))
}

// exchange sends a datagram until its answer comes. What is no answer to it is passed over: anybody can send a datagram.
func (a *agent) exchange(kind gosnmp.PDUType, b []byte) (*gosnmp.SnmpPacket, error) {
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
		return nil, fetch.Errorf(fetch.ErrProtocol, "no answer came, but %w", odd)
	}
	return nil, &fetch.Error{Kind: fetch.ErrTimeout, Text: "the agent does not answer", Hint: "an agent that does not know the community or user is silent, too"}
}

// receive waits for the answer; odd becomes what was wrong with another datagram.
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
			return result, nil
		}
		*odd = err
	}
}

// decode reads an answer, and refuses what does not belong to the request.
//
// QUIRK: an answer of version 1 to a request of 2c is taken, as net-snmp 5.9 does (seen): simple agents copy nothing of a request but
// its identifier, and the two versions write answers alike.
func (a *agent) decode(b []byte) (*gosnmp.SnmpPacket, error) {
	signed := a.user != nil && a.user.signed(b) // the codec does not look, and blanks what there is to see
	result, err := a.code.SnmpDecodePacket(b)
	switch {
	case err != nil:
		return nil, err
	case (result.Version == gosnmp.Version3) != (a.user != nil):
		return nil, errors.New("an answer of another version")
	case result.PDUType != gosnmp.GetResponse && (result.PDUType != gosnmp.Report || a.user == nil):
		return nil, errors.New("a PDU that is no response")
	case a.user != nil:
		return result, a.user.check(result, signed, a.id)
	case result.RequestID != a.id:
		return nil, errors.New("an answer to another request")
	}
	return result, nil
}
