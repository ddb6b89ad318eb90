package ftp

// login says USER and PASS, and PBSZ and PROT inside TLS.
func (r *run) login() error {
	c := r.s.ctl
	c.login = true
	err := r.s.lib.Login(r.w.user, r.w.password)
	c.login = false
	if err == nil {
		r.s.in = true
		return nil
	}
	return r.called(err, c.asked)
}

// welcome sees to the turns that a login can take (RFC 959 §5.4). The library knows 230 and 331 to USER, and 230 to PASS.
// After a password, the account is all that can still be missing.
func (c *control) welcome(r reply) (reply, error) {
	if r.class() == 2 { // QUIRK: pure-ftpd lets anonymous users in at USER, and answers a PASS that is under way with 230 again
		return r, c.skipPASS()
	}
	if r.class() != 3 || r.code != 332 && c.asked.Verb == "USER" {
		return r, nil
	}
	acct := c.run.plan.When(ifAccount)
	if len(acct) == 0 {
		return r, c.end(fail(&refusal{c.asked, r}))
	}
	if err := c.skipPASS(); err != nil {
		return r, err
	}
	c.planned = append(acct[:1:1], c.planned...)
	return c.exchange("")
}

// skipPASS passes over the PASS that is next, and its reply if it was said already: no password is wanted.
func (c *control) skipPASS() error {
	s, flown, ok := c.head()
	switch {
	case !ok || s.Verb != "PASS":
		return nil
	case !flown:
		c.planned = c.planned[1:]
		return nil
	}
	c.sent = c.sent[1:]
	_, err := readReply(c.Conn)
	if err != nil {
		err = c.judge(s, err)
	}
	return c.end(err)
}
