//go:build !race

package live

func hide()          {}
func show()          {}
func release(*World) {}
func acquire(*World) {}
