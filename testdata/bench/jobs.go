package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// jobs returns all jobs in the order of the table.
func (l *lab) jobs() (all []job) {
	all = append(all, l.startJobs()...)
	all = append(all, l.manyJobs()...)
	all = append(all, l.latencyJobs()...)
	all = append(all, l.mirrorJobs()...)
	all = append(all, l.checkJob())
	return append(all, l.gatewayJobs()...)
}

// startJobs get one document of 1 KiB.
func (l *lab) startJobs() (all []job) {
	for _, p := range []struct{ name, uri, server string }{
		{"http", "http://" + l.http + "/1k.txt", l.http}, {"https", "https://" + l.https + "/1k.txt", l.https}, {"ftp", "ftp://" + l.ftp + "/1k.txt", l.ftp},
		{"gopher", "gopher://" + l.gopher + "/9/1k.txt", l.gopher}, {"file", "file://" + l.www + "/1k.txt", "none"},
	} {
		curl := []string{"curl", "-s", p.uri}
		deref := []string{l.deref, p.uri}
		if p.name == "https" {
			curl, deref = append(curl, "--cacert", l.ca()), append(deref, "--cacert", l.ca())
		}
		all = append(all, job{name: "start-" + p.name, skip: missing(p.server), rounds: 20, series: 10, sides: []side{{"deref", deref}, {"curl", curl}}})
	}
	uri := "https://" + l.https + "/1k.txt" // with the system's roots, which both programs have to read
	roots := job{name: "start-https-roots", skip: missing(l.https), rounds: 20, series: 10, sides: []side{{"deref", []string{l.deref, uri}}, {"curl", []string{"curl", "-s", uri}}}}
	if _, err := os.Stat(systemRoots); err != nil {
		roots.skip = systemRoots + " not found"
	}
	return append(all, roots)
}

// missing says that a server without an address is not installed.
func missing(addr string) string {
	if addr == "" {
		return "server not installed"
	}
	return ""
}

// manyJobs get many documents of 2 KiB from one server, eight at a time, into files.
func (l *lab) manyJobs() (all []job) {
	for _, p := range []struct{ name, base, server string }{
		{"many-http", "http://" + l.http + "/", l.http}, {"many-https-h2", "https://" + l.https + "/", l.https}, {"many-https-h1", "https://" + l.https + "/", l.https},
		{"many-gopher", "gopher://" + l.gopher + "/9/", l.gopher}, {"many-ftp", "ftp://" + l.ftp + "/", l.ftp},
	} {
		j := l.documents(p.name, p.server, l.docs, func(i int) string { return p.base + document(i) })
		j.rounds = 5
		eight := []string{"--parallel-max", "8"}
		if p.name == "many-https-h1" {
			eight = append(eight, "--http1.1")
		}
		j.sides[0].argv = append(j.sides[0].argv, eight...)
		j.sides[1].argv = append(j.sides[1].argv, eight...)
		if len(j.sides) > 2 { // wget2
			j.sides[2].argv = append(j.sides[2].argv, "--max-threads=8")
			if p.name == "many-https-h1" {
				j.sides[2].argv = append(j.sides[2].argv, "--http2=off")
			}
		}
		switch p.name {
		case "many-http", "many-gopher":
			j.sides = append(j.sides, side{"minimal", []string{l.minimal, l.list(p.name), l.docsDir()}})
		}
		all = append(all, j)
	}
	return all
}

// latencyJobs get many documents over a round trip of 20 ms with the programs' own numbers of connections.
func (l *lab) latencyJobs() (all []job) {
	for _, p := range []struct{ scheme, server, path string }{{"http", l.http, "/"}, {"https", l.https, "/"}, {"ftp", l.ftp, "/"}, {"gopher", l.gopher, "/9/"}} {
		for _, n := range []int{1, hosts} {
			j := l.documents(fmt.Sprintf("latency-%s-%d", p.scheme, n), p.server, farDocs, func(i int) string {
				return p.scheme + "://" + hostName(1+i%n) + ":" + l.far[p.server] + p.path + document(i)
			})
			j.rounds = 3
			if n == 1 {
				j.sides[1].argv = append(j.sides[1].argv, "--parallel-max", "8")
			}
			all = append(all, j)
		}
	}
	return all
}

func (l *lab) docsDir() string           { return l.out + "/docs" }
func (l *lab) list(name string) string   { return l.root + "/" + name + ".list" }
func (l *lab) config(name string) string { return l.root + "/" + name + ".curl" }

// documents is a job of n documents, whose URIs it writes into lists. It has deref, curl, and for http wget2 as sides.
func (l *lab) documents(name, server string, n int, uri func(int) string) job {
	if l.run.MatchString(name) {
		var list, config bytes.Buffer
		for i := range n {
			fmt.Fprintln(&list, uri(i))
			fmt.Fprintf(&config, "url = %q\noutput = %q\n", uri(i), l.docsDir()+"/"+filepath.Base(document(i)))
		}
		os.WriteFile(l.list(name), list.Bytes(), 0o644)
		os.WriteFile(l.config(name), config.Bytes(), 0o644)
	}
	j := job{name: name, skip: missing(server), fresh: func() error { return l.fresh(l.docsDir()) }, check: func() error { return l.checkDocs(n) }, sides: []side{
		{"deref", []string{l.deref, "-s", "-Z", "--cacert", l.ca(), "--output-dir", l.docsDir(), "-O", "--input", l.list(name)}},
		{"curl", []string{"curl", "-s", "-Z", "--cacert", l.ca(), "-K", l.config(name)}},
	}}
	if strings.Contains(name, "http") {
		j.sides = append(j.sides, side{"wget2", []string{"wget2", "-q", "--no-robots", "--ca-certificate=" + l.ca(), "-P", l.docsDir(), "-i", l.list(name)}})
		j.count = l.counter()
	}
	return j
}

// fresh makes a directory empty. ext4 looks for inodes past those that were removed in the last seconds, so what a run has written stays until the end.
func (l *lab) fresh(dir string) error {
	l.runs++
	if err := os.Rename(dir, fmt.Sprintf("%s.%d", dir, l.runs)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.MkdirAll(dir, 0o755)
}

// checkDocs compares the documents with what was served.
func (l *lab) checkDocs(n int) error {
	got, err := os.ReadDir(l.docsDir())
	if err != nil || len(got) != n {
		return fmt.Errorf("got %d documents, want %d: %v", len(got), n, err)
	}
	for i := 0; i < n; i += max(1, n/50) {
		a, err := os.ReadFile(filepath.Join(l.docsDir(), filepath.Base(document(i))))
		b, _ := os.ReadFile(filepath.Join(l.www, document(i)))
		if err != nil || !bytes.Equal(a, b) {
			return fmt.Errorf("%s differs: %v", document(i), err)
		}
	}
	return nil
}

// counter returns a function that returns nginx's connections and requests since its last call.
func (l *lab) counter() func() string {
	if l.http == "" {
		return nil
	}
	status := func() (conns, requests int) {
		resp, err := http.Get("http://" + l.http + "/.status")
		if err != nil {
			return 0, 0
		}
		defer resp.Body.Close()
		var active, accepted int
		fmt.Fscanf(resp.Body, "Active connections: %d \nserver accepts handled requests\n %d %d %d", &active, &accepted, &conns, &requests)
		return conns, requests
	}
	c, r := status()
	return func() string {
		oldC, oldR := c, r
		c, r = status()
		return fmt.Sprintf("%d on %d", r-oldR-1, c-oldC)
	}
}

// mirrorJobs copy a tree by ftp and a site by http, for the first time and again.
func (l *lab) mirrorJobs() (all []job) {
	dir := l.out + "/mirror"
	site := "http://" + l.http + "/site/"
	var jobs []job
	for _, server := range []struct{ name, addr string }{{"vsftpd", l.ftp}, {"proftpd", l.proftpd}, {"pureftpd", l.pureftpd}} {
		tree := "ftp://" + server.addr + "/tree/"
		host, port, _ := strings.Cut(server.addr, ":")
		jobs = append(jobs, job{name: "mirror-" + server.name, skip: missing(server.addr), check: func() error { return atLeast(dir, "f*.txt", treeFiles) }, sides: []side{
			{"deref", []string{l.deref, "mirror", "-s", tree, dir}},
			{"lftp", []string{"lftp", "-c", "open " + tree + "; mirror . " + dir}},
			{"lftp 2", []string{"lftp", "-c", "open " + tree + "; mirror --parallel=2 . " + dir}},
			{"wget", []string{"wget", "-q", "-m", "-nH", "-P", dir, tree}},
			{"rclone", []string{"rclone", "sync", ":ftp,host=" + host + ",port=" + port + ",user=anonymous,pass=IZmGBWRxSIwWKP3YWsvPQI5e:tree", dir}},
		}})
	}
	jobs = append(jobs,
		job{name: "mirror-http", skip: missing(l.http), check: func() error { return atLeast(dir, "p*.html", siteFiles) }, count: l.counter(), sides: []side{
			{"deref", []string{l.deref, "mirror", "-s", site, dir}},
			{"wget", []string{"wget", "-q", "-m", "-nH", "-P", dir, site}},
			{"wget2", []string{"wget2", "-q", "-m", "-nH", "-P", dir, site}},
		}})
	for _, first := range jobs {
		first.rounds = 5
		first.fresh = func() error { return l.fresh(dir) }
		again := first
		first.name += "-first"
		again.name, again.again = again.name+"-again", true
		all = append(all, first, again)
	}
	return all
}

// atLeast returns an error if fewer than n files below dir match the pattern.
func atLeast(dir, pattern string, n int) error {
	got := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if ok, _ := filepath.Match(pattern, filepath.Base(path)); ok {
			got++
		}
		return err
	})
	if got < n {
		return fmt.Errorf("got %d files %s, want %d: %v", got, pattern, n, err)
	}
	return nil
}

// checkJob tests the links of the site's pages.
func (l *lab) checkJob() job {
	site := "http://" + l.http + "/site/"
	return job{name: "check", skip: missing(l.http), rounds: 5, count: l.counter(), sides: []side{
		{"deref", []string{l.deref, "check", "--recursive", site}},
		{"linkinator", []string{"linkinator", "--recurse", site}},
		{"wget spider", []string{"wget", "-q", "--spider", "-r", "-l", "inf", "-nd", "--delete-after", site}},
	}}
}
