# A step to its kernels, money to its inputs, a part of the machine, a kernel and a collective by name.
cd ../eval
sysdlc explain tiny.sysdl step_time --depth 1
echo
sysdlc explain tiny.sysdl cost.per_hour
echo
sysdlc explain tiny.sysdl chip.engine.tensor
echo
sysdlc explain tiny.sysdl 'layer.w_up forward' --depth 2
echo
sysdlc explain tiny.sysdl 'layer.w_down reduce_scatter forward' --depth 2
echo
sysdlc explain tiny.sysdl memory.peak -D plan.tp=4
