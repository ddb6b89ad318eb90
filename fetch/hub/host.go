//go:build unix || windows

package hub

import (
	"hash/fnv"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// defaultPorts are the default ports of schemes by all of their names. They are part of the job, so that all processes agree on its hosts.
type defaultPorts map[string]int

func portsOf(schemes fetch.Registry) defaultPorts {
	list := defaultPorts{}
	for _, s := range schemes {
		for _, name := range s.Names {
			if s.Rules.DefaultPort > 0 {
				list[strings.ToLower(name)] = s.Rules.DefaultPort
			}
		}
	}
	return list
}

// String returns the text for parsePorts: "ftp:21 http:80".
func (d defaultPorts) String() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(d)) {
		list = append(list, name+":"+strconv.Itoa(d[name]))
	}
	return strings.Join(list, " ")
}

func parsePorts(text string) (defaultPorts, error) {
	d := defaultPorts{}
	for part := range strings.FieldsSeq(text) {
		name, port, _ := strings.Cut(part, ":")
		n, err := strconv.Atoi(port)
		if err != nil {
			return nil, err
		}
		d[name] = n
	}
	return d, nil
}

// host returns one text for all URIs of a host and port: whatever the scheme, the case, the form of an address, and whether the port is
// written.
func (d defaultPorts) host(u uri.URI) string {
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if ip, err := netip.ParseAddr(name); err == nil {
		name = ip.Unmap().String()
	}
	return name + ":" + strconv.Itoa(u.PortNumber(d[strings.ToLower(u.Scheme())]))
}

// partitionOf returns the partition of a URI's host and port.
func (j *Job) partitionOf(u uri.URI) int {
	h := fnv.New64a()
	h.Write([]byte(j.ports.host(u)))
	return int(h.Sum64() % uint64(j.partitions))
}
