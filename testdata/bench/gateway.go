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

// Load of the gateway jobs.
const (
	gatewayClients  = 20
	gatewayRequests = 500 // of each client
)

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
	return []job{{
		name: "gateway-1k", skip: missing(l.http), rounds: 5,
		serve: func(s side) measured { return l.throughProxy(addr, s.argv) },
		sides: []side{
			{"deref", []string{l.deref, "gateway", "--log", "none", addr}},
			{"nginx", []string{"nginx", "-e", l.root + "/proxy.err", "-c", nginx}},
			{"tinyproxy", []string{"tinyproxy", "-d", "-c", tiny}},
		},
	}}
}

// throughProxy requests documents of 1 KiB through the proxy that argv starts.
func (l *lab) throughProxy(addr string, argv []string) (m measured) {
	cmd, err := startServer(addr, argv...)
	if err != nil {
		return measured{err: err}
	}
	client := &http.Client{Transport: &http.Transport{
		Proxy:               http.ProxyURL(&url.URL{Scheme: "http", Host: addr}),
		MaxIdleConnsPerHost: gatewayClients,
	}}
	var clients sync.WaitGroup
	failures := make(chan error, gatewayClients)
	began := time.Now()
	for range gatewayClients {
		clients.Go(func() {
			for range gatewayRequests {
				if err := getAll(client, "http://"+l.http+"/1k.txt"); err != nil {
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
	m.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if len(failures) > 0 {
		m.err = <-failures
	}
	return m
}

func getAll(client *http.Client, uri string) error {
	resp, err := client.Get(uri)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	if err == nil && (n != 1024 || resp.StatusCode != 200) {
		err = fmt.Errorf("got status %d and %d bytes, want 200 and 1024", resp.StatusCode, n)
	}
	return err
}
