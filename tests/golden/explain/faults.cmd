# Names that do not exist, files that are wrong, several designs.
cd ../eval
sysdlc explain tiny.sysdl step_tim
echo "= $?"
sysdlc explain tiny.sysdl 'layer.w_upp forward'
echo "= $?"
sysdlc explain tiny.sysdl
echo "= $?"
sysdlc explain tini.sysdl step_time
echo "= $?"
sysdlc explain several.sysdl step_time
echo "= $?"
sysdlc explain tiny.sysdl step_time -D plan.tp=3 2>&1 | head -2
sysdlc explain tiny.sysdl nothing.at.all
echo "= $?"
