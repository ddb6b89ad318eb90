package snmp

import "strings"

// within reports whether an OID is below another.
func within(oid, root string) bool {
	return len(oid) > len(root) && oid[len(root)] == '.' && oid[:len(root)] == root
}

// objects has the built-in names: SNMPv2-MIB (RFC 3418), IF-MIB (RFC 2863), the uptime of HOST-RESOURCES-MIB, and the other groups of
// MIB-2 (RFC 1213).
const objects = `1.3.6.1.2.1 mib-2
1.3.6.1.4.1 enterprises
1.3.6.1.2.1.1 system
1.3.6.1.2.1.1.1 sysDescr
1.3.6.1.2.1.1.2 sysObjectID
1.3.6.1.2.1.1.3 sysUpTime
1.3.6.1.2.1.1.4 sysContact
1.3.6.1.2.1.1.5 sysName
1.3.6.1.2.1.1.6 sysLocation
1.3.6.1.2.1.1.7 sysServices
1.3.6.1.2.1.1.8 sysORLastChange
1.3.6.1.2.1.1.9 sysORTable
1.3.6.1.2.1.1.9.1.2 sysORID
1.3.6.1.2.1.1.9.1.3 sysORDescr
1.3.6.1.2.1.1.9.1.4 sysORUpTime
1.3.6.1.2.1.2 interfaces
1.3.6.1.2.1.2.1 ifNumber
1.3.6.1.2.1.2.2 ifTable
1.3.6.1.2.1.2.2.1 ifEntry
1.3.6.1.2.1.2.2.1.1 ifIndex
1.3.6.1.2.1.2.2.1.2 ifDescr
1.3.6.1.2.1.2.2.1.3 ifType
1.3.6.1.2.1.2.2.1.4 ifMtu
1.3.6.1.2.1.2.2.1.5 ifSpeed
1.3.6.1.2.1.2.2.1.6 ifPhysAddress
1.3.6.1.2.1.2.2.1.7 ifAdminStatus
1.3.6.1.2.1.2.2.1.8 ifOperStatus
1.3.6.1.2.1.2.2.1.9 ifLastChange
1.3.6.1.2.1.2.2.1.10 ifInOctets
1.3.6.1.2.1.2.2.1.11 ifInUcastPkts
1.3.6.1.2.1.2.2.1.12 ifInNUcastPkts
1.3.6.1.2.1.2.2.1.13 ifInDiscards
1.3.6.1.2.1.2.2.1.14 ifInErrors
1.3.6.1.2.1.2.2.1.15 ifInUnknownProtos
1.3.6.1.2.1.2.2.1.16 ifOutOctets
1.3.6.1.2.1.2.2.1.17 ifOutUcastPkts
1.3.6.1.2.1.2.2.1.18 ifOutNUcastPkts
1.3.6.1.2.1.2.2.1.19 ifOutDiscards
1.3.6.1.2.1.2.2.1.20 ifOutErrors
1.3.6.1.2.1.2.2.1.21 ifOutQLen
1.3.6.1.2.1.2.2.1.22 ifSpecific
1.3.6.1.2.1.3 at
1.3.6.1.2.1.4 ip
1.3.6.1.2.1.5 icmp
1.3.6.1.2.1.6 tcp
1.3.6.1.2.1.7 udp
1.3.6.1.2.1.11 snmp
1.3.6.1.2.1.25.1.1 hrSystemUptime
1.3.6.1.2.1.31.1.1 ifXTable
1.3.6.1.2.1.31.1.1.1.1 ifName
1.3.6.1.2.1.31.1.1.1.2 ifInMulticastPkts
1.3.6.1.2.1.31.1.1.1.3 ifInBroadcastPkts
1.3.6.1.2.1.31.1.1.1.4 ifOutMulticastPkts
1.3.6.1.2.1.31.1.1.1.5 ifOutBroadcastPkts
1.3.6.1.2.1.31.1.1.1.6 ifHCInOctets
1.3.6.1.2.1.31.1.1.1.7 ifHCInUcastPkts
1.3.6.1.2.1.31.1.1.1.8 ifHCInMulticastPkts
1.3.6.1.2.1.31.1.1.1.9 ifHCInBroadcastPkts
1.3.6.1.2.1.31.1.1.1.10 ifHCOutOctets
1.3.6.1.2.1.31.1.1.1.11 ifHCOutUcastPkts
1.3.6.1.2.1.31.1.1.1.12 ifHCOutMulticastPkts
1.3.6.1.2.1.31.1.1.1.13 ifHCOutBroadcastPkts
1.3.6.1.2.1.31.1.1.1.14 ifLinkUpDownTrapEnable
1.3.6.1.2.1.31.1.1.1.15 ifHighSpeed
1.3.6.1.2.1.31.1.1.1.16 ifPromiscuousMode
1.3.6.1.2.1.31.1.1.1.17 ifConnectorPresent
1.3.6.1.2.1.31.1.1.1.18 ifAlias
1.3.6.1.2.1.31.1.1.1.19 ifCounterDiscontinuityTime
`

// nameOf replaces the longest known prefix of an OID by its name. It returns the OID itself if there is none.
func nameOf(oid string) string {
	best, name := 0, oid
	for line := range strings.Lines(objects) {
		number, word, _ := strings.Cut(strings.TrimSpace(line), " ")
		if (number == oid || within(oid, number)) && len(number) > best {
			best, name = len(number), word+oid[len(number):]
		}
	}
	return name
}

// numberOf is the inverse of nameOf: it turns "ifDescr.1" into an OID. It returns a name without a known prefix unchanged.
func numberOf(name string) string {
	first, rest, dotted := strings.Cut(name, ".")
	for line := range strings.Lines(objects) {
		number, word, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.EqualFold(word, first) {
			continue
		}
		if dotted {
			number += "." + rest
		}
		return number
	}
	return name
}
