module github.com/brewput/brewput

go 1.26
