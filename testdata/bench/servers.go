package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// serve listens on host and passes each connection to handle.
func serve(host string, port string, handle func(net.Conn)) (addr string, err error) {
	ln, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return "", err
	}
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go handle(c)
		}
	}()
	return ln.Addr().String(), nil
}

// serveGopher serves the files below root by their paths.
func serveGopher(root string) (addr string, err error) {
	return serve("127.0.0.1", "0", func(c net.Conn) {
		defer c.Close()
		line, err := bufio.NewReaderSize(c, 1024).ReadString('\n')
		if err != nil {
			return
		}
		f, err := os.Open(filepath.Join(root, filepath.Clean("/"+strings.TrimRight(line, "\r\n"))))
		if err != nil {
			fmt.Fprint(c, "3not found\t\terror.host\t1\r\n.\r\n")
			return
		}
		defer f.Close()
		io.Copy(c, f)
	})
}

// halfTrip is the time of a byte in one direction.
const halfTrip = 10 * time.Millisecond

// relayAll makes the server at target available on each host of the lab, a round trip of 20 ms away. It returns the port.
func relayAll(target string, ftp bool) (port string, err error) {
	port = "0"
	for i := 1; i <= hosts; i++ {
		host := hostName(i)
		addr, err := serve(host, port, func(c net.Conn) { relay(c, host, target, ftp) })
		if err != nil {
			return "", err
		}
		_, port, _ = net.SplitHostPort(addr)
	}
	return port, nil
}

// relay passes bytes on in both directions, each half a round trip later. The system of this machine accepts a connection at once; the
// first byte is delayed by a further round trip, as if connecting had taken it.
func relay(client net.Conn, host, target string, ftp bool) {
	began := time.Now()
	server, err := net.Dial("tcp", target)
	if err != nil {
		client.Close()
		return
	}
	done := make(chan bool)
	go func() {
		pass(server, client, began.Add(3*halfTrip), func(b []byte) []byte { return b })
		done <- true
	}()
	pass(client, server, began.Add(3*halfTrip), func(b []byte) []byte {
		if ftp {
			b = farPassive(b, host)
		}
		return b
	})
	<-done
	client.Close()
	server.Close()
}

// pass copies from one connection to the other, nothing before the time first.
func pass(to, from net.Conn, first time.Time, change func([]byte) []byte) {
	type packet struct {
		due  time.Time
		data []byte
	}
	on := make(chan packet, 1<<12)
	go func() {
		defer close(on)
		for {
			b := make([]byte, 16<<10)
			n, err := from.Read(b)
			if n > 0 {
				due := time.Now().Add(halfTrip)
				if due.Before(first) {
					due = first
				}
				on <- packet{due, change(b[:n])}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range on {
		time.Sleep(time.Until(p.due))
		to.Write(p.data)
	}
	time.Sleep(halfTrip)
	to.(*net.TCPConn).CloseWrite()
}

// farPassive replaces the port in an FTP server's reply to EPSV with that of a relay of one connection.
func farPassive(b []byte, host string) []byte {
	m := regexp.MustCompile(`\(\|\|\|(\d+)\|\)`).FindSubmatch(b)
	if m == nil {
		return b
	}
	ln, err := net.Listen("tcp", host+":0")
	if err != nil {
		return b
	}
	go func() {
		defer ln.Close()
		ln.(*net.TCPListener).SetDeadline(time.Now().Add(20 * time.Second))
		if c, err := ln.Accept(); err == nil {
			ln.Close()
			relay(c, host, "127.0.0.1:"+string(m[1]), false)
		}
	}()
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	return []byte(strings.Replace(string(b), string(m[0]), "(|||"+port+"|)", 1))
}
