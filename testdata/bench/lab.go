package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A lab is the directory of all files, and the servers.
type lab struct {
	settings
	root, www, out, home string
	minimal              string // a minimal program that fetches many documents
	http, https          string // host:port of nginx; empty if it is not installed
	ftp                  string // of vsftpd
	gopher               string
	far                  map[string]string // address of a server: that of the same server behind 20 ms
	servers              []*exec.Cmd
	once                 sync.Once
}

// Numbers of documents.
const (
	treeFiles = 3000
	siteFiles = 500
	hosts     = 50
	farDocs   = 2000
)

func newLab(s settings) (l *lab, err error) {
	l = &lab{settings: s}
	if l.root, err = os.MkdirTemp(s.dir, "deref-bench-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	l.www, l.out, l.home = l.root+"/www", l.root+"/out", l.root+"/home"
	return l, errors.Join(os.Chmod(l.root, 0o755), l.content(), l.certificate(), l.buildMinimal(), l.start())
}

func (l *lab) close() {
	l.once.Do(func() {
		for _, s := range l.servers {
			stop(s)
		}
		os.RemoveAll(l.root)
	})
}

// stop ends a server. Its state then has the processor time of all its processes.
func stop(s *exec.Cmd) {
	s.Process.Signal(syscall.SIGTERM)
	s.Wait()
}

// document is the URI path of a small document.
func document(i int) string { return fmt.Sprintf("small/d%05d.txt", i) }

// content writes what the servers serve.
func (l *lab) content() error {
	files := map[string][]byte{"1k.txt": bytes.Repeat([]byte("0123456789abcde\n"), 64)}
	for i := range max(l.docs, farDocs) {
		files[document(i)] = fmt.Appendf(nil, "%s", strings.Repeat(fmt.Sprintf("%08d", i), 256))
	}
	for i := range treeFiles {
		files[fmt.Sprintf("tree/%02d/%02d/f%04d.txt", i/500, i/50%10, i)] = bytes.Repeat([]byte{byte('a' + i%26)}, 1000+i)
	}
	for i := range siteFiles {
		page := fmt.Sprintf("<!DOCTYPE html><html><head><title>Page %d</title></head><body><h1>Page %d</h1>\n", i, i)
		for n := 1; n <= 10; n++ {
			page += fmt.Sprintf("<p>%s <a href=\"p%03d.html\">another page</a></p>\n", strings.Repeat("Some words of a paragraph. ", 8), (i*10+n)%siteFiles)
		}
		files[fmt.Sprintf("site/p%03d.html", i)] = []byte(page + "</body></html>\n")
	}
	files["site/index.html"] = files["site/p000.html"]
	// A listing in minutes of an unknown zone does not show whether a file of the last hours has changed, so a mirror would request each again.
	old := time.Now().AddDate(0, 0, -30)
	for name, data := range files {
		name = filepath.Join(l.www, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, data, 0o644), os.Chtimes(name, old, old)); err != nil {
			return err
		}
	}
	return errors.Join(os.MkdirAll(l.out, 0o755), os.MkdirAll(l.home, 0o755), os.MkdirAll(l.root+"/empty", 0o755))
}

// certificate writes a certificate for all addresses of the lab.
func (l *lab) certificate() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	t := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, NotAfter: time.Now().AddDate(1, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, DNSNames: []string{"localhost"}}
	for i := range hosts + 1 {
		t.IPAddresses = append(t.IPAddresses, net.ParseIP(hostName(i)))
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, key.Public(), key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	return errors.Join(err, writePEM(l.ca(), "CERTIFICATE", der), writePEM(l.root+"/key.pem", "PRIVATE KEY", secret))
}

func (l *lab) ca() string { return l.root + "/ca.pem" }

func writePEM(name, kind string, der []byte) error {
	return os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}

// hostName returns an address of this machine; number 0 is that of the servers themselves.
func hostName(i int) string { return fmt.Sprintf("127.0.%d.%d", min(i, 1), max(i, 1)) }

func (l *lab) buildMinimal() error {
	l.minimal = l.root + "/minimal"
	out, err := exec.Command("go", "build", "-o", l.minimal, "example.org/deref/testdata/bench/minimal").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// start starts the servers that are installed.
func (l *lab) start() (err error) {
	os.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin")
	if l.gopher, err = serveGopher(l.www); err != nil {
		return err
	}
	if _, err := exec.LookPath("nginx"); err == nil {
		l.http, l.https = freeAddr(), freeAddr()
		if err := l.server(l.http, "nginx.conf", fmt.Sprintf(nginxConfig, l.root, l.http, l.https), "nginx", "-e", l.root+"/nginx.err", "-c"); err != nil {
			return err
		}
	}
	if _, err := exec.LookPath("vsftpd"); err == nil {
		l.ftp = freeAddr()
		_, port, _ := net.SplitHostPort(l.ftp)
		if err := l.server(l.ftp, "vsftpd.conf", fmt.Sprintf(vsftpdConfig, l.root, port), "vsftpd"); err != nil {
			return err
		}
	}
	l.far = map[string]string{}
	for _, near := range []string{l.http, l.https, l.ftp, l.gopher} {
		if near == "" {
			continue
		}
		if l.far[near], err = relayAll(near, near == l.ftp); err != nil {
			return err
		}
	}
	return nil
}

// server starts a program with a configuration file as its last argument, and waits until it listens.
func (l *lab) server(addr, file, config string, argv ...string) error {
	name := filepath.Join(l.root, file)
	if err := os.WriteFile(name, []byte(config), 0o600); err != nil {
		return err
	}
	cmd, err := startServer(addr, append(argv, name)...)
	if err == nil {
		l.servers = append(l.servers, cmd)
	}
	return err
}

func startServer(addr string, argv ...string) (*exec.Cmd, error) {
	var out bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for range 200 {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return cmd, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	stop(cmd)
	return nil, fmt.Errorf("%s does not listen on %s: %s", argv[0], addr, out.String())
}

// freeAddr returns an address that was free a moment ago.
func freeAddr() string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err) // this machine has no loopback
	}
	defer ln.Close()
	return ln.Addr().String()
}

const nginxConfig = `worker_processes 1; daemon off; pid %[1]s/nginx.pid; error_log %[1]s/nginx.err; user root; worker_rlimit_nofile 8192;
events { worker_connections 4096; multi_accept on; }
http {
	access_log off; sendfile on; tcp_nodelay on; keepalive_requests 10000000; keepalive_timeout 300;
	types { text/plain txt; text/html html; }
	client_body_temp_path %[1]s/t; proxy_temp_path %[1]s/t; fastcgi_temp_path %[1]s/t; uwsgi_temp_path %[1]s/t; scgi_temp_path %[1]s/t;
	server { listen %[2]s backlog=4096; root %[1]s/www; location = /.status { stub_status; } }
	server { listen %[3]s ssl http2 backlog=4096; root %[1]s/www; ssl_certificate %[1]s/ca.pem; ssl_certificate_key %[1]s/key.pem; }
}
`

const vsftpdConfig = `listen=YES
listen_address=127.0.0.1
listen_port=%[2]s
background=NO
anonymous_enable=YES
anon_root=%[1]s/www
seccomp_sandbox=NO
isolate_network=NO
isolate=NO
one_process_model=YES
run_as_launching_user=YES
xferlog_enable=NO
max_per_ip=0
max_clients=0
connect_from_port_20=NO
secure_chroot_dir=%[1]s/empty
`
