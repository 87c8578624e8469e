module sluice.example/scenario

go 1.23

require github.com/sluice-gateway/sluice-go v0.0.0

replace github.com/sluice-gateway/sluice-go => ../../go
