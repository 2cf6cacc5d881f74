//go:build !race

package live

const raced = false

func hide()          {}
func show()          {}
func release(*World) {}
func acquire(*World) {}
