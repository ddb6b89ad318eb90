package warc

import "strconv"

// choose finds which records are copied.
func (k *copier) choose() error {
	if !k.o.Repeated {
		var err error
		if k.ids, err = k.c.tableOf(func(f *Fact, add func(kind, name string)) {
			if f.ID != "" {
				add("id", f.ID)
			}
		}); err != nil {
			return err
		}
	}
	if k.o.Want == nil {
		return nil
	}
	revisits := false
	var err error
	k.wanted, err = k.c.tableOf(func(f *Fact, add func(kind, name string)) {
		revisits = revisits || f.Type == Revisit
		if f.Type != Warcinfo && k.o.Want(f) {
			addWanted(f, add)
		}
	})
	if err != nil || !revisits {
		return err
	}
	return k.addOriginals()
}

// addGroup adds the IDs of a record and of those to which it belongs.
func addGroup(f *Fact, add func(kind, name string)) {
	if f.ID != "" {
		add("id", f.ID)
	} else {
		add("n", strconv.Itoa(f.N))
	}
	if f.Media == CertificatesType { // of all documents of the server
		return
	}
	for _, id := range f.Concurrent {
		add("id", id)
	}
	if f.Type == Conversion && f.Refers != "" {
		add("id", f.Refers)
	}
}

// addWanted adds the IDs of a wanted record, of those to which it belongs, and of the certificates, which also belong to others.
func addWanted(f *Fact, add func(kind, name string)) {
	addGroup(f, add)
	if f.Certificates != "" {
		add("id", f.Certificates)
	}
}

// isWanted reports whether a record is chosen, or belongs to one that is.
func (k *copier) isWanted(f *Fact) (is bool) {
	if k.wanted == nil {
		return true
	}
	addGroup(f, func(kind, name string) {
		if !is {
			_, is = k.wanted.latest(nameKey(kind, name), anything)
		}
	})
	return is
}

// addOriginals adds the records to which the wanted revisits refer. One that is in none of the archives is reported.
func (k *copier) addOriginals() error {
	originals, err := k.c.tableOf(func(f *Fact, add func(kind, name string)) {
		if f.Type == Response && f.Status != 304 || f.Type == Resource {
			for _, name := range f.asOriginal() {
				add("original", name)
			}
		}
	})
	if err != nil {
		return err
	}
	defer originals.close()
	before := k.wanted
	var failed error
	all, err := k.c.tableOf(func(f *Fact, add func(kind, name string)) {
		if !k.isWanted(f) {
			return
		}
		addWanted(f, add)
		if f.Type != Revisit || failed != nil {
			return
		}
		for _, name := range f.ofOriginal() {
			at, ok := originals.latest(nameKey("original", name), anything)
			if !ok {
				continue
			}
			var first Fact
			if first, failed = k.c.fact(at); failed == nil {
				addWanted(&first, add)
			}
			return
		}
		k.done.Missing++
		k.report(f, "the record to which this revisit of %s refers is in none of the archives", f.URI)
	})
	before.close()
	k.wanted = all
	if failed != nil {
		return failed
	}
	return err
}

// asOriginal returns the names by which a revisit may refer to f.
func (f *Fact) asOriginal() []string {
	return (&Fact{Refers: f.ID, RefersTo: f.URI, RefersDate: f.Date, Digest: f.Digest}).ofOriginal()
}

// ofOriginal returns the names of the record to which f refers, the most precise first.
func (f *Fact) ofOriginal() (names []string) {
	if f.Refers != "" {
		names = append(names, f.Refers)
	}
	if f.RefersTo != "" && !f.RefersDate.IsZero() {
		names = append(names, strconv.FormatInt(f.RefersDate.Unix(), 10)+" "+f.RefersTo)
	}
	if f.Digest != "" {
		names = append(names, f.Digest)
	}
	return names
}

// tableOf makes a table of the names that rows adds for each record, to its place in the list. Of several with one name the table
// has the first.
func (c *Catalog) tableOf(rows func(f *Fact, add func(kind, name string))) (*table, error) {
	t := newTable(c.dir)
	err := c.each(func(f *Fact, at int64) (err error) {
		rows(f, func(kind, name string) {
			if err == nil {
				err = t.add(nameKey(kind, name), -int64(f.N), strconv.FormatInt(at, 10))
			}
		})
		return err
	})
	if err == nil {
		err = t.build()
	}
	if err != nil {
		t.close()
		return nil, diskError(err)
	}
	return t, nil
}
