//go:build unix || windows

package hub_test

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// playNode is one server of a cluster: its directory, its address for clients, that for the other servers, and those of all of them.
func playNode(dir, addr, own string, all []string) error {
	o := &server.Options{ServerName: filepath.Base(dir), JetStream: true, StoreDir: dir, SyncInterval: time.Minute, NoSigs: true, NoLog: true, MaxPayload: 2 << 20}
	var err error
	if o.Host, o.Port, err = splitAddr(addr); err != nil {
		return err
	}
	o.Cluster.Name = "test"
	if o.Cluster.Host, o.Cluster.Port, err = splitAddr(own); err != nil {
		return err
	}
	for _, a := range all {
		o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: a})
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		return fmt.Errorf("%s is not ready", addr)
	}
	fmt.Println("ready", addr)
	select {}
}

func splitAddr(addr string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(addr)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	return host, port, err
}
