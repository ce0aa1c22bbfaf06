package postgres

// Statements are those that a store has sent, with @ for the schema.
func Statements(s *Store) (all []string) {
	s.texts.Range(func(text, _ any) bool {
		all = append(all, text.(string))
		return true
	})
	return all
}

// Channel is that of a store's hints.
func Channel(s *Store) string { return s.channel() }

// OfFormat opens a database as a version that knows no later format.
func OfFormat(n int) Option { return func(o *options) { o.steps = migrations()[:n] } }
