package uri

func (u URI) strict() error { return nil }
