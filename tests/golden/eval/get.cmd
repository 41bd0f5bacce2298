# Bare values in SI units: one of a design, or a line for each.
sysdlc eval tiny.sysdl --get memory.capacity
sysdlc eval tiny.sysdl --get fits
sysdlc eval tiny.sysdl --get plan.recompute
sysdlc eval tiny.sysdl --get 'chip.engine.tensor.rate[fp16]'
sysdlc eval tiny.sysdl --get 'cost.capital / network.devices'
sysdlc eval several.sysdl --get plan.tp
sysdlc eval several.sysdl --get plan.tp --design wide
sysdlc eval bigram.sysdl several.sysdl --get network.devices
sysdlc eval several.sysdl bigram.sysdl --get network.devices
