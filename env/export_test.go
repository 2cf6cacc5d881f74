package env

// Kept is the number of values that a channel on a machine has room for.
func Kept[T any](c *Chan[T]) int { return len(c.virtual.values) }
