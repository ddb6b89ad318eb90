//go:build unix || windows

// Command derefd carries out jobs of many URIs in several processes, which share them by means of NATS JetStream (package fetch/hub). It is a
// command of its own because the server is larger than the rest of deref. README.md, which `derefd help page` prints, describes it.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/render"
)

const usage = `usage: derefd COMMAND [FLAGS] [ARGUMENTS]

  run JOB          carry out a job in this process; run again, it continues
  add JOB FILE|-   add the URIs of a list to a job
  status JOB       print the progress of a job
  results JOB      print the results as JSON Lines, one for each URI
  redo JOB [URI..] do URIs again: these, --failed, --kind or --missing ones
  index JOB        write the index of the archives of all workers (run does this),
                   and print what is missing from them
  hub              run a server for workers in other processes
  health           ask http://ADDR/health of --page ADDR (127.0.0.1:8222)
  work JOB         carry out a part of a job, with a hub; Ctrl-C ends it in order
  jobs             print the jobs of a hub
  delete JOB       delete a job with its results; with a hub, JOB may be its name
  drain JOB        end workers (--name NAME: this one) in order
  demo             a hub, three workers, one of which is killed: nothing is lost
  help page        When one machine is not enough: how this works
  help licenses    the licenses of the modules in this program
  version          print the version of this program

  --hub URL        use this server, not the job's directory; also DEREFD_HUB
  --credentials F  the credentials file (JWT) for a NATS server; --nkey F: the seed
  --ca F           the certificates of a NATS server's authority
  --data DIR       of hub: the directory for all jobs (derefd.data)
  --listen ADDR    of hub: an address of this machine (127.0.0.1:4222). Beyond
                   loopback it uses TLS and a token, both in the URL that it prints
  --name NAME      of work and drain: the worker's name
  --page ADDR      of run, work, status: show the job over HTTP, with /metrics
                   and /health; of hub: only these two
  --log            of run, work, hub: write events as JSON Lines to stderr
  --failed         of results, redo: URIs that have failed
  --kind KIND,...  of results, redo: URIs that have failed so: timeout,connect
  --since TIME     of results, redo: results of this time (90m, 2026-01-31,
                   2026-01-31T12:00:00Z) or later, by the clock of the hub
  --missing        of redo: documents that are missing from the archives
  --history        of results: also those that derefd redo has replaced
  --partitions, --hosts N   of status: each partition, the N slowest hosts

JOB is a TOML file:

  task = "check"            # check, archive (WARC files), list (directories,
                            # menus), crawl (archive, and follow links)
  seeds = ["ftp://h/pub/"]  # URIs
  lists = ["links.txt"]     # files of URIs, as for deref --input, without settings
  data = "links.data"       # directory for everything; relative to JOB
  depth = 0                 # steps into directories and menus (list, archive), or
                            # from a seed (crawl; there, 0 is 1000)
  include = ["*.txt"]       # patterns of what is found there, as for deref mirror
  exclude = ["tmp/**"]
  hosts = ["*.example"]     # of crawl: patterns of hosts, as for deref check;
                            # without it, what is below the seeds' directories
  schemes = ["http"]        # of crawl; without it, those of the seeds
  ignore-robots = false     # of crawl: do not request robots.txt
  host-documents = 0        # of crawl: bound of the documents of a host
  host-bytes = 0            # of crawl: bound of their bytes
  connections = 8           # of each worker
  per-host = 2              # requests to a host at a time
  pause = 0.5               # seconds between requests to a host
  retries = 2               # of temporary failures
  timeout = 0               # seconds for a document
  max-size = 0              # bytes of a document
  deny-private = false      # contact public addresses only
  tofu = false              # gemini, gophers: trust a server's first certificate,
                            # then require it (DATA/known-hosts of each worker)
  netrc = "logins"          # a netrc file with passwords
  archive-size = 1073741824 # bytes after which a worker begins another WARC file
  partitions = 256          # hosts are distributed to this many; fixed
  replicas = 1              # of the log in a cluster of NATS servers; fixed
  max-log = 0               # bytes of the log; fixed

  [store]                   # of archive, crawl: move archives to a bucket (S3)
  url = "s3://bucket/a/"
  endpoint = "https://s3.amazonaws.com"
  region = ""               # of the bucket, if the service cannot be asked
  credentials = "keys"      # a file with aws_access_key_id = ... and
                            # aws_secret_access_key = ...; without it, the
                            # variables AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY

The job keeps the task, depth, include, exclude, hosts, schemes, ignore-robots,
host-documents, host-bytes, per-host, pause, retries, timeout, max-size,
deny-private and tofu that it was created with, and a crawl its seeds: derefd
run, add and work refuse a file with others.
A host is a host name and port: those that share one machine count separately.
`

// licenses lists the modules that the command links on any system, with their licenses. To update it after a change of go.mod:
//
//	go test ./cmd/command -run Licenses -update
//
//go:embed licenses.txt
var licenses string

//go:embed README.md
var readme string

// A command is one run of derefd.
type command struct {
	in          *os.File
	out, err    io.Writer
	hub         string
	credentials string
	nkey, ca    string
	data        string
	listen      string
	name        string
	page        string
	log         bool
	partitions  bool
	hosts       int
	failed      bool
	kinds       []string
	since       string
	missing     bool
	history     bool
	getenv      func(string) string

	server *hub.Server // in this process; nil if there is none
	counts counts

	dial func(ctx context.Context, network, addr string) (net.Conn, error) // of tests; nil is the system's
}

// memoryLimit is for the garbage collector, if GOMEMLIMIT has none. Without it, a hub that handles 20,000 URIs/s grows to 550 MiB, of which 150 are
// in use. The server keeps decoded parts of the log until the next collection: with 256 MiB, ten million URIs take 1.6 times as long.
const memoryLimit = 400 << 20

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	log.SetOutput(io.Discard) // net/http logs each unknown HTTP/2 frame
	c := &command{in: os.Stdin, out: terminal.Filtered(os.Stdout), err: terminal.Filtered(os.Stderr)}
	os.Exit(c.main(context.Background(), os.Args[1:], os.Getenv))
}

func (c *command) flags() *pflag.FlagSet {
	fs := pflag.NewFlagSet("derefd", pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	for name, to := range map[string]*string{"hub": &c.hub, "credentials": &c.credentials, "nkey": &c.nkey, "ca": &c.ca, "name": &c.name, "page": &c.page, "since": &c.since} {
		fs.StringVar(to, name, "", "")
	}
	fs.StringVar(&c.data, "data", "derefd.data", "")
	fs.StringVar(&c.listen, "listen", "127.0.0.1:4222", "")
	for name, to := range map[string]*bool{"log": &c.log, "partitions": &c.partitions, "failed": &c.failed, "missing": &c.missing, "history": &c.history} {
		fs.BoolVar(to, name, false, "")
	}
	fs.IntVar(&c.hosts, "hosts", 0, "")
	fs.StringSliceVar(&c.kinds, "kind", nil, "")
	return fs
}

// main returns the exit code.
func (c *command) main(ctx context.Context, args []string, getenv func(string) string) int {
	if len(args) > 0 && args[0] == "--version" {
		args = append([]string{"version"}, args[1:]...)
	}
	fs := c.flags()
	c.getenv = getenv
	err := fs.Parse(args)
	if errors.Is(err, pflag.ErrHelp) || err == nil && (fs.NArg() == 0 || fs.Arg(0) == "help") {
		text := usage
		switch fs.Arg(1) {
		case "page":
			text = readme
		case "licenses":
			text = licenses
		}
		fmt.Fprint(c.out, text)
		return 0
	}
	if err != nil {
		err = flagError(err, fs)
	} else {
		c.hub = cmp.Or(c.hub, getenv("DEREFD_HUB"))
		err = c.run(ctx, fs.Arg(0), fs.Args()[1:])
	}
	if err != nil {
		fmt.Fprintf(c.err, "derefd: %s: %s\n", app.Class(err), render.Escape(err.Error()))
		if h := c.hint(err); h != "" {
			fmt.Fprintf(c.err, "derefd: hint: %s\n", render.Escape(h))
		}
	}
	return app.ExitCode(err)
}

func (c *command) run(ctx context.Context, name string, args []string) error {
	if err := checkArguments(name, args); err != nil {
		return err
	}
	switch name {
	case "version":
		_, err := fmt.Fprintf(c.out, "derefd %s (%s, %s/%s)\n", app.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	case "hub":
		return c.serve(ctx)
	case "demo":
		return c.demo(ctx)
	case "jobs":
		return c.jobs(ctx)
	case "health":
		return c.health(ctx)
	case "delete":
		return c.delete(ctx, args[0])
	}
	f, err := readJob(args[0])
	if err != nil {
		return err
	}
	switch name {
	case "run", "work":
		return c.carryOut(ctx, f, name == "run")
	case "add":
		return c.add(ctx, f, args[1])
	}
	j, done, err := c.openExisting(ctx, f)
	if err != nil {
		return err
	}
	defer done()
	switch name {
	case "results":
		return c.results(ctx, j)
	case "redo":
		return c.redo(ctx, f, j, args[1:])
	case "index":
		return c.index(ctx, f, j)
	case "drain":
		return c.drain(ctx, j)
	}
	return c.status(ctx, j)
}
