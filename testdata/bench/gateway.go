package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A demand is what the clients of a proxy request.
type demand struct {
	name     string // of the document
	size     int64  // of the document
	clients  int
	requests int // of each client
}

// largeSize is the size of large.bin, which only the gateway jobs request.
const largeSize = 64 << 20

// gatewayJobs measure proxies of http: the wall time of the clients, and the processor time of the proxy from its start to its end.
func (l *lab) gatewayJobs() []job {
	addr := freeAddr()
	_, port, _ := strings.Cut(addr, ":")
	nginx, tiny := filepath.Join(l.root, "proxy.conf"), filepath.Join(l.root, "tinyproxy.conf")
	os.WriteFile(nginx, fmt.Appendf(nil, `worker_processes 1; daemon off; pid %[1]s/proxy.pid; error_log %[1]s/proxy.err; user root;
events { worker_connections 4096; }
http {
	access_log off; keepalive_requests 10000000;
	client_body_temp_path %[1]s/t; proxy_temp_path %[1]s/t; fastcgi_temp_path %[1]s/t; uwsgi_temp_path %[1]s/t; scgi_temp_path %[1]s/t;
	upstream origin { server %[3]s; keepalive 40; }
	server { listen %[2]s; location / { proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection ""; } }
}
`, l.root, addr, l.http), 0o600)
	os.WriteFile(tiny, fmt.Appendf(nil, "Port %s\nListen 127.0.0.1\nTimeout 60\nMaxClients 100\nLogLevel Critical\n", port), 0o600)
	sides := []side{
		{"deref", []string{l.deref, "gateway", "--log", "none", "--allow", "127.0.0.1/32", addr}},
		{"nginx", []string{"nginx", "-e", l.root + "/proxy.err", "-c", nginx}},
		{"tinyproxy", []string{"tinyproxy", "-d", "-c", tiny}},
	}
	through := func(name string, d demand) job {
		return job{name: name, skip: missing(l.http), rounds: 5, sides: sides, serve: func(s side) measured { return l.throughProxy(addr, s.argv, d) }}
	}
	return []job{
		through("gateway-1k", demand{"1k.txt", 1 << 10, 20, 500}),
		through("gateway-large", demand{"large.bin", largeSize, 4, 4}),
	}
}

// throughProxy requests documents through the proxy that argv starts.
func (l *lab) throughProxy(addr string, argv []string, d demand) (m measured) {
	cmd, err := startServer(addr, argv...)
	if err != nil {
		return measured{err: err}
	}
	client := &http.Client{Transport: &http.Transport{
		Proxy:               http.ProxyURL(&url.URL{Scheme: "http", Host: addr}),
		MaxIdleConnsPerHost: d.clients,
	}}
	var clients sync.WaitGroup
	failures := make(chan error, d.clients)
	began := time.Now()
	for range d.clients {
		clients.Go(func() {
			for range d.requests {
				if err := getAll(client, "http://"+l.http+"/"+d.name, d.size); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	clients.Wait()
	m.wall = time.Since(began)
	client.CloseIdleConnections()
	stop(cmd)
	m.user, m.system = cmd.ProcessState.UserTime(), cmd.ProcessState.SystemTime()
	if len(failures) > 0 {
		m.err = <-failures
	}
	return m
}

func getAll(client *http.Client, uri string, size int64) error {
	resp, err := client.Get(uri)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	if err == nil && (n != size || resp.StatusCode != 200) {
		err = fmt.Errorf("got status %d and %d bytes, want 200 and %d", resp.StatusCode, n, size)
	}
	return err
}
