package snmp_test

import (
	"io/fs"
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes/snmp/snmptest"
	"example.org/deref/testdata"
)

// TestNetSNMP runs the tools of net-snmp, in both versions.
func TestNetSNMP(t *testing.T) {
	t.Parallel()
	s := snmptest.NewServer(testdata.Site(), nil)
	defer s.Close()
	names := 0
	err := fs.WalkDir(testdata.Site(), "names", func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	file := snmptest.OID("names/0")
	for _, x := range []struct {
		program, args string
		want          string
		lines         int // of the output, 0 is any number
	}{
		{"snmpget", "-v1 -Oqv ADDR " + file, `I am the file \"0\".`, 0},
		{"snmpget", "-v2c -Oqv ADDR " + file, `I am the file \"0\".`, 0},
		{"snmpget", "-v2c ADDR 1.3.6.1.2.1.1.1.0", "No Such Object available on this agent", 1},
		{"snmpget", "-v1 ADDR 1.3.6.1.2.1.1.1.0", "There is no such variable name in this MIB", 0},
		{"snmpgetnext", "-v2c -Oqn ADDR 1.3", "." + snmptest.OID("README.txt"), 0},
		{"snmpwalk", "-v1 -OqnT ADDR " + snmptest.OID("names"), "." + file, 0},
		{"snmpbulkwalk", "-v2c -Oqn ADDR " + snmptest.OID("names"), "." + file, 0},
		{"snmpbulkget", "-v2c -Oxqn -Cn1 -Cr2 ADDR 1.3 1.3", "." + snmptest.OID("a/b/c/d/deep.txt"), 0},
		{"snmpset", "-v2c ADDR " + file + " s x", "notWritable", 0},
		{"snmpset", "-v1 ADDR " + file + " s x", "noSuchName", 0},
		{"snmpget", "-v2c -c wrong -t 0.2 -r 0 ADDR " + file, "Timeout", 0},
	} {
		args := append([]string{"-m", "", "-c", "public"}, strings.Fields(strings.ReplaceAll(x.args, "ADDR", s.Addr))...)
		cmd := lab.Client(t, x.program, args...)
		out, _ := cmd.CombinedOutput()
		if !strings.Contains(string(out), x.want) || x.lines > 0 && strings.Count(string(out), "\n") != x.lines {
			t.Errorf("%s %s: %q, want %q", x.program, x.args, out, x.want)
		}
		if objects := strings.Count("\n"+string(out), "\n."+snmptest.OID("names/")); strings.HasSuffix(x.program, "walk") && objects != names {
			t.Errorf("%s %s: %d objects, want %d", x.program, x.args, objects, names)
		}
		if objects := strings.Count("\n"+string(out), "\n."+snmptest.Files); x.program == "snmpbulkget" && objects != 3 {
			t.Errorf("%s %s: %d objects, want 1 of the first and 2 of the second\n%s", x.program, x.args, objects, out)
		}
	}
}
