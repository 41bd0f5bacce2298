# Files and folders in place, --check, JSON; permissions and links are kept.
cd "$SCRATCH" && mkdir -p folder/inner
printf 'sysdl 2026\nchip A=B{x=1}\n' > folder/a.sysdl
printf 'sysdl 2026\n\nchip A = B { x = 1 }\n' > folder/good.sysdl
printf 'sysdl 2026\r\nchip A=B{x=1\r\n}\r\n' > folder/inner/windows.sysdl
printf 'not for it\n' > folder/notes.txt
chmod 640 folder/a.sysdl
ln -s folder/a.sysdl link.sysdl
echo "- check"; sysdlc fmt --check folder; echo "exit $?"
echo "- json"; sysdlc fmt --check folder --format json | grep -v '"tool"\|"stdlib"'
echo "- write"; sysdlc fmt folder/inner link.sysdl; echo "exit $?"
cat folder/a.sysdl folder/inner/windows.sysdl
stat -c '%a %F' folder/a.sysdl link.sysdl
ls -A folder
echo "- again"; sysdlc fmt folder; echo "exit $?"
echo "- stdin"; printf 'sysdl 2026\nchip A=B{}' | sysdlc fmt -; echo "exit $?"
printf 'sysdl 2026\nchip A=B{}' | sysdlc fmt --check -; echo "exit $?"
echo "- faults"; sysdlc fmt missing.sysdl; echo "exit $?"
mkdir empty; sysdlc fmt empty; echo "exit $?"
sysdlc fmt - folder; echo "exit $?"
sysdlc fmt; echo "exit $?"
