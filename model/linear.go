package model

import "math"

// leastSquares returns the least-squares solution of rows x = right, with the diagonal of the normal equations
// increased by the fraction damping. Columns are scaled to length 1 first. ok is false if they do not determine x.
func leastSquares(rows [][]float64, right []float64, damping float64) (x []float64, ok bool) {
	lengths := lengths(rows)
	projected := make([]float64, len(lengths))
	for i, row := range rows {
		for j, v := range row {
			projected[j] += v / lengths[j] * right[i]
		}
	}
	x, ok = eliminate(normal(rows, lengths, damping), projected)
	for j := range x {
		x[j] /= lengths[j]
	}
	return x, ok
}

// inverseDiagonal returns a diagonal element of the inverse of rows' rows; ok is as in leastSquares.
func inverseDiagonal(rows [][]float64, at int) (value float64, ok bool) {
	lengths := lengths(rows)
	unit := make([]float64, len(lengths))
	unit[at] = 1
	x, ok := eliminate(normal(rows, lengths, 0), unit)
	return x[at] / (lengths[at] * lengths[at]), ok
}

// lengths returns the lengths of the columns.
func lengths(rows [][]float64) []float64 {
	lengths := make([]float64, len(rows[0]))
	for _, row := range rows {
		for j, v := range row {
			lengths[j] = math.Hypot(lengths[j], v)
		}
	}
	return lengths
}

// normal returns the products of the columns, each divided by its length.
func normal(rows [][]float64, lengths []float64, damping float64) [][]float64 {
	products := make([][]float64, len(lengths))
	for a := range products {
		products[a] = make([]float64, len(lengths))
		for b := range products[a] {
			for _, row := range rows {
				products[a][b] += row[a] / lengths[a] * (row[b] / lengths[b])
			}
		}
		products[a][a] *= 1 + damping
	}
	return products
}

// eliminate solves a symmetric positive definite system, with diagonal elements of at least 1, in place. ok is false
// if a pivot has lost all its digits.
func eliminate(m [][]float64, right []float64) (x []float64, ok bool) {
	for k := range m {
		if !(m[k][k] > 1e-13) {
			return right, false
		}
		for i := k + 1; i < len(m); i++ {
			f := m[i][k] / m[k][k]
			for j := k; j < len(m); j++ {
				m[i][j] -= f * m[k][j]
			}
			right[i] -= f * right[k]
		}
	}
	for k := len(m) - 1; k >= 0; k-- {
		for j := k + 1; j < len(m); j++ {
			right[k] -= m[k][j] * right[j]
		}
		right[k] /= m[k][k]
	}
	return right, true
}
