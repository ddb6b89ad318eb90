package ldap_test

import (
	"crypto/tls"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/testdata"
	"github.com/go-ldap/ldap/v3"
)

// run runs a client of OpenLDAP, and returns its output and its exit status, which is the result code. The client trusts the certificate of
// secure unless that is nil.
func run(t *testing.T, s *loopback.Server, secure *tls.Config, program string, args ...string) (string, int) {
	t.Helper()
	cmd := lab.Client(t, program, append([]string{"-x", "-H", s.URL}, args...)...)
	cmd.Env = append(cmd.Env, "LDAPNOINIT=1")
	if secure != nil {
		name := filepath.Join(t.TempDir(), "ca.pem")
		b := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificates[0].Certificate[0]})
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd.Env = append(slices.DeleteFunc(cmd.Env, func(v string) bool { return v == "LDAPNOINIT=1" }), "LDAPTLS_CACERT="+name)
	}
	out, err := cmd.CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Fatalf("%s: %v", program, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func TestLdapsearch(t *testing.T) {
	s := ldaptest.NewServer(testdata.Site(), &ldaptest.Options{Entries: []ldaptest.Entry{
		{DN: "c=CH", Attr: [][2]string{{"objectClass", "country"}, {"c", "CH"}}},
		{DN: "o=CERN,c=CH", Attr: [][2]string{{"objectClass", "organization"}, {"o", "CERN"}}},
	}})
	defer s.Close()
	for _, x := range []struct {
		args, want string
		code       int
	}{
		{"-b||-s|base", "dn:\nobjectClass: top\n\n", 0},
		{"-b||-s|base|+", "dn:\nsupportedLDAPVersion: 3\nnamingContexts: c=CH\nnamingContexts: o=site\n" +
			"supportedControl: 1.2.840.113556.1.4.319\nsupportedExtension: 1.3.6.1.4.1.4203.1.11.3\nvendorName: ldaptest\n\n", 0},
		{"-b||-s|base|namingContexts", "dn:\nnamingContexts: c=CH\nnamingContexts: o=site\n\n", 0},
		{"-b||-s|base|(objectClass=country)", "", 0},
		{"-b|o=site|-s|base", "dn: o=site\nobjectClass: organization\no: site\n\n", 0},
		{"-b|o=site|-s|base|-A", "dn: o=site\nobjectClass:\no:\n\n", 0},
		{"-b|o=site|-s|base|1.1", "dn: o=site\n\n", 0},
		{"-b|o=site|-s|one|-z|1|ou", "Size limit exceeded (4)\n", 4},
		{"-b|o=site|(cn=ftp.txt)|cn", "dn: cn=ftp.txt,ou=history,o=site\ncn: ftp.txt\n\n", 0},
		{"-b|o=site|(&(objectClass=document)(cn=f*.txt))|cn", "dn: cn=ftp.txt,ou=history,o=site\ncn: ftp.txt\n\n", 0},
		{"-b|o=site|-s|one|(objectClass=document)|-E|pr=2/noprompt|1.1",
			"dn: cn=gophermap,o=site\n\n# pagedresults: cookie=Mg==\ndn: cn=index.html,o=site\n", 0},
		{"-b|o=none|-s|base", "No such object (32)\n", 32},
		{"-b|o=site|-MM|-s|base", "Critical extension is unavailable (12)\nAdditional information: unknown control\n", 12},
	} {
		args := append([]string{"-LLL"}, strings.Split(x.args, "|")...)
		out, code := run(t, s, nil, "ldapsearch", args...)
		if !strings.Contains(out, x.want) || x.want == "" && out != "" || code != x.code {
			t.Errorf("%q: %d %q, want %d %q", args, code, out, x.code, x.want)
		}
	}
}

// TestRootBeforeBind: a client must be able to learn how to bind.
func TestRootBeforeBind(t *testing.T) {
	t.Parallel()
	s := ldaptest.NewServer(testdata.Site(), &ldaptest.Options{Users: map[string]string{"cn=ann,o=site": "secret"}})
	defer s.Close()
	if out, code := run(t, s, nil, "ldapsearch", "-LLL", "-b", "", "-s", "base"); out != "dn:\nobjectClass: top\n\n" || code != 0 {
		t.Errorf("%d %q", code, out)
	}
	if out, code := run(t, s, nil, "ldapsearch", "-LLL", "-b", "o=site", "-s", "base"); code != 50 {
		t.Errorf("%d %q, want 50", code, out)
	}
}

func TestLdapwhoami(t *testing.T) {
	t.Parallel()
	cfg, _, err := loopback.SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	users := map[string]string{"cn=ann,o=site": "secret"}
	for _, x := range []struct {
		o    ldaptest.Options
		args []string
		want string
		code int
	}{
		{ldaptest.Options{}, nil, "anonymous\n", 0},
		{ldaptest.Options{Users: users}, nil, "anonymous\n", 0},
		{ldaptest.Options{Users: users}, []string{"-D", "cn=ann,o=site", "-w", "secret"}, "dn:cn=ann,o=site\n", 0},
		{ldaptest.Options{Users: users}, []string{"-D", "cn=ann,o=site", "-w", "wrong"}, "ldap_bind: Invalid credentials (49)\n", 49},
		{ldaptest.Options{Users: users, TLS: cfg}, []string{"-ZZ", "-D", "cn=ann,o=site", "-w", "secret"}, "dn:cn=ann,o=site\n", 0},
	} {
		s := ldaptest.NewServer(testdata.Site(), &x.o)
		if out, code := run(t, s, x.o.TLS, "ldapwhoami", x.args...); out != x.want || code != x.code {
			t.Errorf("%q: %d %q, want %d %q", x.args, code, out, x.code, x.want)
		}
		s.Close()
	}
}

// TestOtherOperations: compare is supported, and operations that change entries are refused.
func TestOtherOperations(t *testing.T) {
	s := ldaptest.NewServer(testdata.Site(), nil)
	defer s.Close()
	for _, x := range []struct {
		program string
		args    []string
		want    string
	}{
		{"ldapcompare", []string{"o=site", "o:Site"}, "TRUE\n"},
		{"ldapcompare", []string{"o=site", "o:other"}, "FALSE\n"},
		{"ldapcompare", []string{"o=site", "cn:x"}, "UNDEFINED"},
		{"ldapcompare", []string{"o=none", "o:x"}, "No such object (32)"},
		{"ldapdelete", []string{"o=site"}, "Server is unwilling to perform (53)"},
		{"ldapmodrdn", []string{"o=site", "o=other"}, "Server is unwilling to perform (53)"},
	} {
		if out, _ := run(t, s, nil, x.program, x.args...); !strings.Contains(out, x.want) {
			t.Errorf("%s %q: %q, want %q", x.program, x.args, out, x.want)
		}
	}
}

// TestCurl lists the entries below a name.
func TestCurl(t *testing.T) {
	t.Parallel()
	s := ldaptest.NewServer(testdata.Site(), nil)
	defer s.Close()
	for path, want := range map[string]string{"/o=site?o?base": "DN: o=site\n\to: site\n",
		"/?namingContexts?base": "\tnamingContexts: o=site\n"} {
		if out, err := lab.Run(t, "curl", "-sS", s.URL+path); !strings.Contains(out, want) || err != nil {
			t.Errorf("%s: %q, %v; want %q", path, out, err, want)
		}
	}
}

// TestRootDSE: the attributes of RFC 4512 section 5.1 are sent if they are requested, and the server supports everything that they name.
func TestRootDSE(t *testing.T) {
	s := ldaptest.NewServer(testdata.Site(), &ldaptest.Options{Users: map[string]string{"cn=ann,o=site": "secret"}})
	defer s.Close()
	c, err := ldap.DialURL(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, x := range []struct {
		attributes, want []string // names
	}{
		{nil, []string{"objectClass"}},
		{[]string{"*"}, []string{"objectClass"}},
		{[]string{"+"}, []string{"supportedLDAPVersion", "namingContexts", "supportedControl", "supportedExtension", "vendorName"}},
		{[]string{"NamingContexts"}, []string{"namingContexts"}},
	} {
		got, err := c.Search(ldap.NewSearchRequest("", ldap.ScopeBaseObject, ldap.NeverDerefAliases, 0, 0, false, "(objectClass=*)",
			x.attributes, nil))
		if err != nil || len(got.Entries) != 1 {
			t.Fatalf("%q: %v, %v", x.attributes, got, err)
		}
		var names []string
		for _, a := range got.Entries[0].Attributes {
			names = append(names, a.Name)
		}
		if !slices.Equal(names, x.want) {
			t.Errorf("%q: got %q, want %q", x.attributes, names, x.want)
		}
	}
	for _, x := range []struct{ password, want string }{{"", ""}, {"secret", "dn:cn=ann,o=site"}, {"wrong", ""}} {
		if x.password != "" {
			c.Bind("cn=ann,o=site", x.password) // its result is seen in the identity
		}
		if got, err := c.WhoAmI(nil); err != nil || got.AuthzID != x.want {
			t.Errorf("after binding with %q: got %+v, %v; want %q", x.password, got, err, x.want)
		}
	}
	if _, err := c.Compare("o=site", "o", "site"); !ldap.IsErrorWithCode(err, ldap.LDAPResultInsufficientAccessRights) {
		t.Errorf("anonymous compare: %v", err)
	}
	if err := c.Del(ldap.NewDelRequest("o=site", nil)); !ldap.IsErrorWithCode(err, ldap.LDAPResultUnwillingToPerform) {
		t.Errorf("delete: %v", err)
	}
}
