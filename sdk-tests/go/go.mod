module sluice.example/scenario

go 1.23

require sluice.example/client v0.0.0

replace sluice.example/client => ../../go
