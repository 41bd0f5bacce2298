# A text in UTF-16.
cd "$SCRATCH" && printf '\377\376s\000y\000s\000d\000l\000' > utf16.sysdl && sysdlc check utf16.sysdl
