package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"time"
)

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
	if err := l.startOtherFTP(); err != nil {
		return err
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

// startOtherFTP starts proftpd and pure-ftpd, which need root.
func (l *lab) startOtherFTP() error {
	if os.Getuid() != 0 {
		return nil
	}
	if program, err := exec.LookPath("proftpd"); err == nil {
		l.proftpd = freeAddr()
		_, port, _ := net.SplitHostPort(l.proftpd)
		if real, err := filepath.EvalSymlinks(program); err == nil {
			program = real // next to its modules
		}
		modules := filepath.Join(filepath.Dir(program), "../lib/proftpd")
		if err := l.server(l.proftpd, "proftpd.conf", fmt.Sprintf(proftpdConfig, modules, port, l.root), program, "-n", "-c"); err != nil {
			return err
		}
	}
	program, err := exec.LookPath("pure-ftpd")
	if err != nil {
		return nil
	}
	account, err := user.Lookup("ftp")
	if err != nil {
		return nil // it has no anonymous access without this user
	}
	if err := os.MkdirAll(account.HomeDir, 0o755); err != nil {
		return err
	}
	// It serves the directory of the user ftp. In a name space of its own, that is the lab's.
	l.pureftpd = freeAddr()
	host, port, _ := net.SplitHostPort(l.pureftpd)
	cmd, err := startServer(l.pureftpd, "unshare", "-m", "--propagation", "private", "sh", "-c", `mount --bind "$1" "$2" && shift 2 && exec "$@"`, "-", l.www,
		account.HomeDir, program, "-S", host+","+port, "-H", "-4", "-c", "200", "-C", "200", "-x", "-i", "-e", "-f", "none", "-g", l.root+"/pure-ftpd.pid")
	if err == nil {
		l.servers = append(l.servers, cmd)
	}
	return err
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

const proftpdConfig = `ModulePath %[1]s
ServerType standalone
DefaultAddress 127.0.0.1
SocketBindTight on
Port %[2]s
UseIPv6 off
User nobody
Group nogroup
UseFtpUsers off
AuthPAM off
WtmpLog off
PidFile %[3]s/proftpd.pid
ScoreboardFile %[3]s/proftpd.score
ControlsEngine off
DelayEngine off
SystemLog none
TransferLog none
UseReverseDNS off
MaxInstances 400
TimesGMT on
<Anonymous %[3]s/www>
	User nobody
	Group nogroup
	UserAlias anonymous nobody
	RequireValidShell off
</Anonymous>
`
