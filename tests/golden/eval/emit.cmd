# The stages on the way.
sysdlc eval bigram.sysdl --emit ast | head -n 12
echo
sysdlc eval bigram.sysdl --emit graph
echo
sysdlc eval bigram.sysdl --emit typed | grep -v '// std/'
