package proxy_test

import (
	"fmt"

	"example.org/deref/fetch"
	"example.org/deref/fetch/proxy"
	"example.org/deref/schemes/http"
)

// Everything through one SOCKS proxy, except the hosts of one domain.
func ExampleParse() {
	p, err := proxy.Parse("socks5://user:secret@localhost")
	if err != nil {
		fmt.Println(err)
		return
	}
	t := &proxy.Table{All: p, Bypass: proxy.ParseBypass("intranet.example, 10.0.0.0/8")}
	c := fetch.New(http.Schemes(&http.Config{Proxy: t.HTTP})...)
	c.Dialer = t.Dial
	defer c.Close()
	fmt.Println(p, p.Addr())
	// Output: socks5://localhost:1080 localhost:1080
}
