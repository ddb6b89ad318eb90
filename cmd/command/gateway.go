package command

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"slices"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/fetch"
	"example.org/deref/fetch/gateway"
	"example.org/deref/fetch/policy"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// gatewayFlags are the flags of the gateway command.
type gatewayFlags struct {
	request.Flags
	request.ArchiveFlags
	remote    bool
	demo      bool
	metrics   bool
	log       string
	hosts     flags.Words
	open      flags.Words
	scheme    string
	perClient int
}

func gatewayCommand(fs *pflag.FlagSet) action {
	var f gatewayFlags
	fs.BoolVar(&f.remote, "allow-remote", false, "listen on an address that other machines can reach")
	fs.BoolVar(&f.demo, "demo", false, "also serve the sample site by every protocol, link to it, and allow its servers on 127.0.0.1 (no other ports), also those of telnet, rlogin and tn3270")
	fs.BoolVar(&f.metrics, "metrics", false, "serve counters of requests at /metrics, in the Prometheus format")
	flags.ChoiceVar(fs, &f.log, "log", "log each request on standard error; `FORM` is text, json or none", "text", "json", "none")
	fs.Var(&f.hosts, "host-name", "accept the host names in `LIST` for the gateway, besides localhost and addresses")
	fs.Var(&f.open, "allow-scheme", "allow the local schemes, x- schemes and sessions in `LIST`: file, mid, telnet, ...")
	flags.TextVar(fs, &f.scheme, "path-scheme", "", "the scheme of paths that name none (/HOST/...), as clients request with WWW_`SCHEME`_GATEWAY")
	flags.NumberVar(fs, &f.perClient, "max-per-client", 0, 1, math.MaxInt, "serve at most `N` requests of one address at a time (default 32)")
	flags.AddSections(fs, append([]flags.Section{{Title: "Archives", Add: f.ArchiveFlags.Add}}, f.Sections()...))
	return f.run
}

func (f *gatewayFlags) run(ctx context.Context, a *app.App, args []string) error {
	ctx, stop := terminal.Interruptible(ctx)
	defer stop()
	l, err := f.listen(args[0])
	if err != nil {
		return err
	}
	defer l.Close()
	o, err := f.Options(ctx, a)
	if err != nil {
		return err
	}
	samples, servers, done, err := f.samples()
	if err != nil {
		return err
	}
	defer done()
	f.DenyPrivate = true
	c, err := f.Client(a)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := withoutCredentials(c.Schemes, o); err != nil {
		return err
	}
	for _, s := range servers { // no other address on this machine is contacted
		if addr, err := netip.ParseAddrPort(s.Addr); err == nil {
			c.Policy.AllowServers = append(c.Policy.AllowServers, addr)
		}
	}
	if f.demo {
		testservers.Join(c, servers)
		f.allowSessions(c, servers)
	}
	defer f.CloseArchives()
	f.ForReaders = true
	ctx, archived, err := f.Open(ctx, a, c, false, request.Continued)
	if err != nil {
		return err
	}
	for _, line := range announcement(l.Addr(), interfaces()) {
		fmt.Fprintln(a.Stderr, "deref: "+line)
	}
	defer app.HeapFloor(heapFloor)()
	err = gateway.Serve(ctx, l, gateway.New(c, &gateway.Config{Hosts: f.hosts, Allow: f.open, Scheme: f.scheme, Samples: samples, Options: o, Log: f.logger(a), Hint: flags.Hint, Metrics: f.metrics, Archive: f.From, At: f.At.Time, PerClient: f.perClient}))
	if err != nil {
		err = fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return archived.Finish(ctx, err)
}

// heapFloor is the heap below which no garbage is collected: small documents take less time, and more memory (job gateway-1k of testdata/bench).
const heapFloor = 16 << 20

// logger returns the logger for requests. It returns nil for --log none.
func (f *gatewayFlags) logger(a *app.App) *slog.Logger {
	switch f.log {
	case "none":
		return nil
	case "json":
		return slog.New(slog.NewJSONHandler(terminal.Filtered(a.Stderr), nil))
	}
	return slog.New(slog.NewTextHandler(terminal.Filtered(a.Stderr), nil))
}

// listen listens on the address if only this machine can reach it, or with --allow-remote.
func (f *gatewayFlags) listen(addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, flags.Usage("the address to listen on must be HOST:PORT, such as 127.0.0.1:8070")
	}
	if !f.remote && !isLoopback(host) {
		return nil, &fetch.Error{Kind: fetch.ErrDenied, Text: fmt.Sprintf("other machines could reach a gateway on %s", addr), Hint: "--allow-remote allows it"}
	}
	network := "tcp"
	if ip, _ := netip.ParseAddr(host); ip.Is4() {
		network = "tcp4" // else package net takes 0.0.0.0 for "::", too
	}
	l, err := net.Listen(network, addr)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return l, nil
}

// samples returns the links of the start page, and the servers on this machine that the gateway may contact for them. With --demo it starts
// those servers.
func (f *gatewayFlags) samples() ([]gateway.Sample, []testservers.Running, func(), error) {
	if !f.demo {
		return publicSamples(), nil, func() {}, nil
	}
	servers, err := testservers.Start(testdata.Site(), 0, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	return demoSamples(servers), servers, func() { testservers.Stop(servers) }, nil
}

// allowSessions allows the first screens of the demo's hosts. Sessions with other hosts still need --allow-scheme.
func (f *gatewayFlags) allowSessions(c *fetch.Client, servers []testservers.Running) {
	given := slices.Clone(f.open)
	for _, s := range servers {
		addr, err := netip.ParseAddrPort(s.Addr)
		if err != nil || slices.Contains(given, s.Scheme) || !slices.Contains([]string{"telnet", "rlogin", "tn3270"}, s.Scheme) {
			continue
		}
		f.open = append(f.open, s.Scheme)
		c.Policy.Rules = append(c.Policy.Rules,
			policy.Rule{Schemes: []string{s.Scheme}, Hosts: []string{addr.Addr().String()}, Ports: []policy.PortRange{{First: int(addr.Port())}}},
			policy.Rule{Deny: true, Schemes: []string{s.Scheme}})
	}
}

// demoSamples returns the documents of the demonstration servers.
func demoSamples(servers []testservers.Running) (list []gateway.Sample) {
	for _, s := range servers {
		for _, path := range s.Samples() {
			if u, err := uri.Parse(s.URL + path); err == nil {
				list = append(list, gateway.Sample{URI: u, Lesson: true, Year: testservers.YearOf(u.Scheme())})
			}
		}
	}
	return list
}

// publicSamples returns servers that have existed for years.
func publicSamples() (list []gateway.Sample) {
	for _, s := range [...][2]string{
		{"gopher://gopher.floodgap.com/", "Gopherspace, from the Floodgap hole"},
		{"ftp://ftp.gnu.org/", "The FTP site of the GNU project"},
		{"http://info.cern.ch/", "The first site of the Web"},
		{"gemini://geminiprotocol.net/", "Gemini"},
		{"dict://dict.org/", "Dictionaries"},
		{"whois://whois.iana.org/example.com", "Who registered a name"},
	} {
		list = append(list, gateway.Sample{URI: uri.MustParse(s[0]), Title: s[1]})
	}
	return list
}

// withoutCredentials returns an error if the options have credentials: they belong to one server, and readers name any.
func withoutCredentials(schemes fetch.Registry, o *fetch.Options) error {
	has := o.Login != fetch.Login{}
	for _, scheme := range schemes {
		for _, s := range scheme.Settings {
			has = has || s.Secret && o.Set[s.Key] != nil
		}
	}
	if !has {
		return nil
	}
	return &flags.UsageError{Text: "credentials on the command line would be sent to every server that a reader names",
		Hint: "--netrc-file FILE names the server of each login, and browsers ask readers for theirs"}
}
