package snmp

import (
	"testing"

	"github.com/gosnmp/gosnmp"
)

// A datagram that is not exactly the one message that was planned is not sent.
func TestGuard(t *testing.T) {
	code := &gosnmp.GoSNMP{Version: gosnmp.Version2c, Community: "public"}
	write := func(version gosnmp.SnmpVersion, community string, kind gosnmp.PDUType) []byte {
		p := gosnmp.SnmpPacket{Version: version, Community: community, PDUType: kind,
			Variables: []gosnmp.SnmpPDU{{Name: "1.3.6.1.2.1.1.3.0", Type: gosnmp.Null}}}
		if version == gosnmp.Version3 {
			p.MsgFlags, p.SecurityModel, p.SecurityParameters = gosnmp.Reportable, gosnmp.UserSecurityModel, &gosnmp.UsmSecurityParameters{}
		}
		b, err := p.MarshalMsg()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	good := write(gosnmp.Version2c, "public", gosnmp.GetRequest)
	for _, tt := range []struct {
		name string
		b    []byte
		ok   bool
	}{
		{"planned", good, true},
		{"two messages", append(good[:len(good):len(good)], good...), false},
		{"cut", good[:len(good)-1], false},
		{"none", nil, false},
		{"a change", write(gosnmp.Version2c, "public", gosnmp.SetRequest), false},
		{"another version", write(gosnmp.Version1, "public", gosnmp.GetRequest), false},
		{"another community", write(gosnmp.Version2c, "private", gosnmp.GetRequest), false},
	} {
		if err := checkMessage(tt.b, code, gosnmp.GetRequest); (err == nil) != tt.ok {
			t.Errorf("%s: got %v, want error %v", tt.name, err, !tt.ok)
		}
	}
	code.Version = gosnmp.Version3
	for kind, ok := range map[gosnmp.PDUType]bool{gosnmp.GetRequest: true, gosnmp.SetRequest: false} {
		if err := checkMessage(write(gosnmp.Version3, "", kind), code, gosnmp.GetRequest); (err == nil) != ok {
			t.Errorf("version 3, %v: got %v, want error %v", kind, err, !ok)
		}
	}
}
