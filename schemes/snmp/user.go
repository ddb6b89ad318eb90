package snmp

import (
	"cmp"
	"crypto/hmac"
	"errors"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/secretfile"
	"github.com/gosnmp/gosnmp"
)

// A user is a principal of the User-based Security Model: RFC 3414.
type user struct {
	usm   *gosnmp.UsmSecurityParameters
	level gosnmp.SnmpV3MsgFlags
	at    time.Time // when the engine sent its time
	time  uint32    // the engine's time then
}

// userOf returns the user. A login with a password authenticates, a second password encrypts.
func userOf(o *fetch.Options, env *fetch.Env) (*user, error) {
	login := o.Login
	// without a name the user is that of RFC 3414 appendix A
	u := &user{level: gosnmp.NoAuthNoPriv, usm: &gosnmp.UsmSecurityParameters{
		UserName: cmp.Or(login.User, "initial"), AuthenticationProtocol: gosnmp.NoAuth, PrivacyProtocol: gosnmp.NoPriv,
	}}
	secret, err := privacyPassword(o)
	if err != nil {
		return nil, err
	}
	env.Hide(secret)
	if login.Password == "" {
		if secret != "" {
			return nil, fetch.Errorf(fetch.ErrAuth, "encryption needs authentication, and so a password of the user (RFC 3414 section 1.4)")
		}
		return u, nil
	}
	if len(login.Password) < 8 || secret != "" && len(secret) < 8 {
		return nil, fetch.Errorf(fetch.ErrAuth, "a password must have at least 8 bytes (RFC 3414 section 11.2)")
	}
	u.level, u.usm.AuthenticationPassphrase = gosnmp.AuthNoPriv, login.Password
	u.usm.AuthenticationProtocol = authOf(o.Get(setAuth))
	if secret != "" {
		u.level, u.usm.PrivacyPassphrase = gosnmp.AuthPriv, secret
		u.usm.PrivacyProtocol = privOf(o.Get(setPriv))
	}
	return u, nil
}

func privacyPassword(o *fetch.Options) (string, error) {
	name := o.Get(setPrivFile)
	if name == "" {
		return o.Get(setPrivPassword), nil
	}
	b, err := secretfile.ReadFile(name)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimRight(line, "\r"), nil
}

// authOf returns the protocol with a name, SHA by default.
func authOf(name string) gosnmp.SnmpV3AuthProtocol {
	for p := gosnmp.MD5; p <= gosnmp.SHA512; p++ {
		if p.String() == name {
			return p
		}
	}
	return gosnmp.SHA
}

// privOf returns the protocol with a name, AES by default.
func privOf(name string) gosnmp.SnmpV3PrivProtocol {
	for p := gosnmp.DES; p <= gosnmp.AES256C; p++ {
		if p.String() == name {
			return p
		}
	}
	return gosnmp.AES
}

// discover requests the engine's ID and time: RFC 3414 section 4.
func (a *agent) discover() error {
	a.id++
	probe := gosnmp.SnmpPacket{
		Version: gosnmp.Version3, MsgFlags: gosnmp.Reportable, SecurityModel: gosnmp.UserSecurityModel,
		SecurityParameters: &gosnmp.UsmSecurityParameters{}, PDUType: gosnmp.GetRequest, MsgID: a.id, RequestID: a.id,
	}
	b, err := probe.MarshalMsg()
	if err != nil {
		return fetch.Errorf(fetch.ErrProtocol, "cannot encode the request: %w", err)
	}
	result, err := a.exchange(b, probe.PDUType)
	if err != nil {
		return err
	}
	usm, ok := result.SecurityParameters.(*gosnmp.UsmSecurityParameters)
	if !ok || len(usm.AuthoritativeEngineID) < 5 || len(usm.AuthoritativeEngineID) > 32 { // RFC 3411 section 5
		return fetch.Errorf(fetch.ErrProtocol, "the agent did not send its engine ID")
	}
	a.user.usm.AuthoritativeEngineID = usm.AuthoritativeEngineID
	a.user.set(usm)
	if a.code.ContextEngineID == "" {
		a.code.ContextEngineID = usm.AuthoritativeEngineID
	}
	if err := a.user.usm.InitSecurityKeys(); err != nil {
		return fetch.Errorf(fetch.ErrAuth, "cannot derive keys from the passwords: %w", err)
	}
	return nil
}

// set sets the engine's clock.
func (u *user) set(usm *gosnmp.UsmSecurityParameters) {
	u.usm.AuthoritativeEngineBoots, u.usm.AuthoritativeEngineTime = usm.AuthoritativeEngineBoots, usm.AuthoritativeEngineTime
	u.at, u.time = time.Now(), usm.AuthoritativeEngineTime
}

// tick advances the engine's clock, by whole minutes so that a replay sends the same time. It must be right within 150 seconds (RFC 3414
// section 2.2.3).
func (u *user) tick() {
	u.usm.AuthoritativeEngineTime = u.time + uint32(time.Since(u.at)/time.Minute)*60
}

// signed verifies the digest of a message: RFC 3414 section 6.3.2, RFC 7860 section 4.2.2.
func (u *user) signed(b []byte) bool {
	at, digest := digestOf(b)
	if len(digest) == 0 || u.usm.AuthenticationProtocol <= gosnmp.NoAuth || len(u.usm.SecretKey) == 0 {
		return false
	}
	want := 12
	switch u.usm.AuthenticationProtocol {
	case gosnmp.SHA224:
		want = 16
	case gosnmp.SHA256:
		want = 24
	case gosnmp.SHA384:
		want = 32
	case gosnmp.SHA512:
		want = 48
	}
	if len(digest) != want {
		return false
	}
	mac := hmac.New(u.usm.AuthenticationProtocol.HashType().New, u.usm.SecretKey)
	mac.Write(b[:at])
	mac.Write(make([]byte, want))
	mac.Write(b[at+want:])
	return hmac.Equal(mac.Sum(nil)[:want], digest)
}

// errTime is a report that the clock was wrong. The clock has been set since.
var errTime = &fetch.Error{Kind: fetch.ErrAuth, Text: "the agent reports that the time is wrong (usmStatsNotInTimeWindows)"}

// check rejects a response that belongs to another message or has less protection than the request. A report may be unprotected, because an
// agent that does not know the user cannot protect it. Such a report can only end the request.
func (u *user) check(result *gosnmp.SnmpPacket, signed bool, id uint32) error {
	usm, ok := result.SecurityParameters.(*gosnmp.UsmSecurityParameters)
	switch {
	case !ok || result.MsgID != id:
		return errors.New("a response to another message")
	case result.PDUType == gosnmp.Report:
		if signed {
			u.set(usm)
		}
		if !signed && u.level != gosnmp.NoAuthNoPriv && isReport(result, "2") {
			return errors.New("a report of the time that is not authentic")
		}
		return nil
	case result.RequestID != id:
		return errors.New("a response to another request")
	case usm.AuthoritativeEngineID != u.usm.AuthoritativeEngineID || usm.UserName != u.usm.UserName:
		return errors.New("a response of another engine or user")
	case u.level&gosnmp.AuthNoPriv != 0 && (!signed || result.MsgFlags&gosnmp.AuthNoPriv == 0):
		return errors.New("a response that is not authentic")
	case result.MsgFlags&gosnmp.AuthPriv < u.level:
		return errors.New("the response is not encrypted")
	}
	return nil
}

const usmStats = "1.3.6.1.6.3.15.1.1."

func isReport(result *gosnmp.SnmpPacket, number string) bool {
	return len(result.Variables) == 1 && strings.TrimPrefix(result.Variables[0].Name, ".") == usmStats+number+".0"
}

// reported returns the error that a report means: RFC 3414 section 3.2.
func (a *agent) reported(result *gosnmp.SnmpPacket) error {
	for _, known := range []struct {
		number, name string
		kind         fetch.Kind
	}{
		{"1", "usmStatsUnsupportedSecLevels", fetch.ErrAuth},
		{"3", "usmStatsUnknownUserNames", fetch.ErrAuth},
		{"4", "usmStatsUnknownEngineIDs", fetch.ErrProtocol},
		{"5", "usmStatsWrongDigests", fetch.ErrAuth},
		{"6", "usmStatsDecryptionErrors", fetch.ErrAuth},
	} {
		if isReport(result, known.number) {
			e := fetch.Errorf(known.kind, "the agent reports %s", known.name)
			e.Asks = known.number == "3" || known.number == "5" || known.number == "6"
			return e
		}
	}
	if isReport(result, "2") {
		return errTime
	}
	return fetch.Errorf(fetch.ErrProtocol, "the agent sent an unknown report")
}
