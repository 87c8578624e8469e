module sluice.example/scenario

go 1.19

require sluice.example/client v0.0.0

replace sluice.example/client => ../../go
