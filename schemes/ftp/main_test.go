package ftp_test

import (
	"testing"

	"example.org/deref/fetch/fetchtest"
)

func TestMain(m *testing.M) {
	fetchtest.Overlap()
	m.Run()
}
