//go:build unix || windows

package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nats.go"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/save"
	"example.org/deref/fetch/secretfile"
)

// hubFile contains the URL of the hub of a running `derefd run`, in its data directory, for the other commands.
const hubFile = "hub.url"

// open opens a job, and creates it if it does not exist: at the server of --hub, or in the job's own directory. If a running `derefd run` uses
// that, it connects to its server. With own, that is an error, and the server listens.
func (c *command) open(ctx context.Context, f *jobFile, own bool) (j *hub.Job, done func(), err error) {
	conn, done, err := c.connect(f, own)
	if err != nil {
		return nil, nil, err
	}
	if j, err = hub.Create(ctx, conn, f.name, f.options()); err == nil {
		err = f.checkRules(j.About())
	}
	if err != nil {
		done()
		return nil, nil, c.explain(err)
	}
	return j, done, nil
}

// explain adds to an error of the hub in this process what the hub says of it.
func (c *command) explain(err error) error {
	if c.server == nil {
		return err
	}
	return c.server.Explain(err)
}

// openExisting opens a job that derefd run, add or work has created.
func (c *command) openExisting(ctx context.Context, f *jobFile) (j *hub.Job, done func(), err error) {
	conn, done, err := c.connectExisting(f)
	if err != nil {
		return nil, nil, err
	}
	if j, err = hub.Open(ctx, conn, f.name); err != nil {
		done()
		return nil, nil, f.noJob(err)
	}
	return j, done, nil
}

// connectExisting connects to the server of a job that may exist.
func (c *command) connectExisting(f *jobFile) (conn *nats.Conn, done func(), err error) {
	if _, err := os.Stat(filepath.Join(f.Data, "hub")); c.hub == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fetch.Errorf(fetch.ErrNotFound, "%w %s in %s", errNoJob, f.name, f.Data)
	}
	return c.connect(f, false)
}

// noJob returns the error of the command for one of the hub.
func (f *jobFile) noJob(err error) error {
	if fetch.KindOf(err) == fetch.ErrNotFound {
		return fetch.Errorf(fetch.ErrNotFound, "%w %s at the hub", errNoJob, f.name)
	}
	return err
}

// errNoJob begins the text of an error that is continued with the name of the job.
var errNoJob = errors.New("there is no job")

// connect connects to the server of --hub, or to that in the job's directory. done closes the connection, and a server that was started for it.
func (c *command) connect(f *jobFile, own bool) (conn *nats.Conn, done func(), err error) {
	if c.hub != "" {
		o, err := c.natsOptions()
		if err == nil {
			conn, err = hub.Dial(c.hub, o...)
		}
		return conn, conn.Close, err
	}
	o := &hub.ServerOptions{Dir: filepath.Join(f.Data, "hub"), Report: c.reportHub}
	if own {
		o.Addr, o.Secure = "127.0.0.1:0", true
	}
	url := filepath.Join(f.Data, hubFile)
	s, err := hub.Serve(o)
	if errors.Is(err, hub.ErrInUse) && !own {
		if text, rerr := secretfile.ReadFile(url); rerr == nil {
			conn, err = hub.Dial(strings.TrimSpace(string(text)))
			return conn, conn.Close, err
		}
	}
	if err != nil {
		return nil, nil, err
	}
	c.server = s
	stop := s.Close
	if own {
		if _, err := save.Rewrite(url, 0o600, func(w io.Writer) error {
			_, err := fmt.Fprintln(w, s.URL(""))
			return err
		}); err != nil {
			s.Close()
			return nil, nil, err
		}
		stop = func() { os.Remove(url); s.Close() }
	}
	if conn, err = s.Connect(); err != nil {
		stop()
	}
	return conn, func() { conn.Close(); stop() }, err
}

// natsOptions returns the options for an existing server of NATS. Package nats reads the files whenever it connects; of a file without a JWT, it
// would send the contents.
func (c *command) natsOptions() (o []nats.Option, err error) {
	if c.credentials != "" {
		text, err := secretfile.ReadFile(c.credentials)
		if err != nil {
			return nil, fetch.Errorf(fetch.ErrLocal, "--credentials: %w", err)
		}
		if !bytes.Contains(text, []byte("-BEGIN NATS USER JWT-")) || !bytes.Contains(text, []byte("-BEGIN USER NKEY SEED-")) {
			return nil, fetch.Errorf(fetch.ErrLocal, "--credentials: %s does not contain the JWT and the seed of a user", c.credentials)
		}
		o = append(o, nats.UserCredentials(c.credentials))
	}
	if c.nkey != "" {
		if _, err := secretfile.ReadFile(c.nkey); err != nil {
			return nil, fetch.Errorf(fetch.ErrLocal, "--nkey: %w", err)
		}
		key, err := nats.NkeyOptionFromSeed(c.nkey)
		if err != nil {
			return nil, fetch.Errorf(fetch.ErrLocal, "--nkey: %s does not contain the seed of an nkey", c.nkey)
		}
		o = append(o, key)
	}
	if c.ca != "" {
		text, err := readBounded(c.ca)
		if err != nil {
			return nil, fetch.Errorf(fetch.ErrLocal, "--ca: %w", err)
		}
		if !x509.NewCertPool().AppendCertsFromPEM(text) {
			return nil, fetch.Errorf(fetch.ErrLocal, "--ca: %s does not contain a certificate in PEM form", c.ca)
		}
		o = append(o, nats.RootCAs(c.ca))
	}
	return o, nil
}
